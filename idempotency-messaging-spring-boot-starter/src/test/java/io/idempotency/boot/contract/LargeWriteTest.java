package io.idempotency.boot.contract;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Outcome;
import io.idempotency.ResponseNotStorableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Writes that send or return much. */
@ContractTest
class LargeWriteTest {

    /** Its rows are larger than the buffers of a connection. */
    private static final String FIVE_MEGABYTES = "select repeat('x', 1000) from generate_series(1, 5000)";

    private final ContractApplication application;

    private final JdbcTemplate jdbc;

    LargeWriteTest(ContractApplications applications) {
        application = applications.withQuietFailures().start(List.of(), "idempotency.max-response-size=10KB");
        jdbc = applications.database().jdbc();
        jdbc.execute("create table document (id bigint generated always as identity, content text not null)");
    }

    private IdempotencyOperations.Write write(String key) {
        return application.bean(IdempotencyOperations.class).write("documents", key, "same");
    }

    /** The driver would wait until PostgreSQL has read the document, and PostgreSQL until the driver has read the rows. */
    @ParameterizedTest
    @ValueSource(ints = {10, 19_000, 60_000, 6_000_000})
    void rowsThatNobodyReadDoNotHoldUpALargeParameter(int size) {
        String document = "\u00e4".repeat(size);

        try (Callers callers = Callers.onPlatformThreads()) {
            Callers.Call<Void> call = callers.start(() -> {
                write("key")
                        .statement(FIVE_MEGABYTES, Map.of())
                        .statement("insert into document (content) values (:document)", Map.of("document", document))
                        .run();
                return null;
            });

            assertThat(call.answer()).isNull();
        }
        assertThat(jdbc.queryForList("select length(content) from document", Integer.class))
                .containsExactly(size);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);
        jdbc.execute("truncate document");
    }

    @Test
    void aRowThatIsLargerThanAResponseMayBeIsNotStored() {
        assertThat(returnRow("fits", 9_000).content()).hasSize(9_000);
        assertThat(returnRow("fits", 9_000).content()).hasSize(9_000);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
        jdbc.execute("truncate document");

        assertThatThrownBy(() -> returnRow("too-large", 11_000))
                .isInstanceOf(ResponseNotStorableException.class)
                .hasMessageContaining("more than idempotency.max-response-size = 10240");

        assertThat(jdbc.queryForList("select * from document")).isEmpty();
        assertThat(application.requests()).isEqualTo(1);
    }

    private Document returnRow(String key, int size) {
        return write(key)
                .statement(
                        "insert into document (content) values (repeat('x', cast(:size as integer))) returning content",
                        Map.of("size", size))
                .returnRow(Document.class);
    }

    record Document(String content) {}
}
