package io.idempotency.boot.contract;

import java.util.Map;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A repeat never gets another answer than the first call: what would be lost fails the first call, without an effect. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaithfulResponseTest {

    private final TestDatabase database;

    @AutoClose
    private final ConfigurableApplicationContext application;

    private final Answers answers;

    FaithfulResponseTest(TestDatabase database) {
        this.database = database;
        Notebook.createTable(database.jdbc());
        application = JdbcTestApplication.start(database, new Class<?>[] {Answers.class});
        answers = application.getBean(Answers.class);
    }

    @BeforeEach
    void clear() {
        database.jdbc().execute("truncate public.note, idempotency.idempotency_request");
    }

    @Test
    void whatJsonHidesFailsTheFirstCallWithoutAnEffect() {
        assertThatThrownBy(() -> answers.hiding("key"))
                .isInstanceOf(ResponseNotStorableException.class)
                .hasMessageContainingAll("at $.remark,", "java.lang.String in the first answer and null in the replay");

        assertThat(Notebook.count(database.jdbc())).isZero();
        assertThat(database.jdbc()
                        .queryForObject("select count(*) from idempotency.idempotency_request", Integer.class))
                .isZero();
    }

    @Test
    void callsWithoutAnAnnotationAreNoOtherCase() {
        IdempotencyOperations operations = application.getBean(IdempotencyOperations.class);
        IdempotencyOperations.Call call = operations.call("programmatic", "key", "request");
        Hiding response = new Hiding(7, "for the first caller alone");

        assertThatThrownBy(() -> call.returning(Hiding.class).execute(() -> response))
                .isInstanceOf(ResponseNotStorableException.class)
                .hasMessageContaining("lossyResponse()");

        assertThat(call.lossyResponse().returning(Hiding.class).execute(() -> response))
                .isEqualTo(response);
        assertThat(call.lossyResponse().returning(Hiding.class).execute(() -> response))
                .isEqualTo(new Hiding(7, null));
        assertThatThrownBy(() -> operations
                        .call("programmatic", "other key", "request")
                        .returning(new ParameterizedTypeReference<Map<String, Object>>() {})
                        .execute(() -> Map.of("id", 7L)))
                .isInstanceOf(ResponseNotStorableException.class)
                .hasMessageContaining("at $.id,");
    }

    record Hiding(int id, @JsonIgnore @Nullable String remark) {}

    static class Answers {

        private final JdbcTemplate jdbc;

        Answers(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "hiding", key = "#key")
        public Hiding hiding(String key) {
            return write(new Hiding(7, "for the first caller alone"));
        }

        private <T> T write(T answer) {
            jdbc.update("insert into public.note (text) values ('effect')");
            return answer;
        }
    }
}
