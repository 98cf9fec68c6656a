package io.idempotency.boot.testing;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.test.context.transaction.BeforeTransaction;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.KeyReusedException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.TestDatabaseExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application's own test whose methods Spring rolls back, as {@code @JdbcTest} and {@code @DataJpaTest} do: calls
 * join the transaction of the test, a repeat replays within it, and nothing is left behind it.
 */
@SpringJUnitConfig(classes = {JdbcTestApplication.class, Notebook.class, TransactionalTestMethodsTest.Outcomes.class})
@Transactional
class TransactionalTestMethodsTest {

    @RegisterExtension
    static final TestDatabaseExtension DATABASE = new TestDatabaseExtension();

    @Autowired
    private Notebook notebook;

    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private Outcomes outcomes;

    private List<String> expectedAtTheRollback = List.of();

    @DynamicPropertySource
    static void useDatabase(DynamicPropertyRegistry registry) {
        Notebook.createTable(DATABASE.database().jdbc());
        DATABASE.database().springProperties().forEach((name, value) -> registry.add(name, () -> value));
    }

    @BeforeTransaction
    void forgetOutcomes() {
        outcomes.seen.clear();
    }

    @AfterTransaction
    void nothingIsLeft() {
        assertThat(Notebook.count(DATABASE.database().jdbc())).isZero();
        assertThat(DATABASE.database().jdbc().queryForList("select 1 from idempotency.idempotency_request"))
                .isEmpty();
        assertThat(outcomes.seen).isEqualTo(expectedAtTheRollback);
    }

    @Test
    void callJoinsTheTransactionOfTheTest() {
        Note note = notebook.write("key", "text");

        assertThat(jdbc.queryForObject("select pg_current_xact_id()::text", String.class))
                .isEqualTo(note.xid());
        expectedAtTheRollback = List.of("failed");
    }

    /** The same key as in other test methods: each begins with no history. */
    @Test
    void repeatReplaysWithinTheTransactionOfTheTest() {
        Note first = notebook.write("key", "text");

        assertThat(notebook.write("key", "text")).isEqualTo(first);
        assertThat(Notebook.count(jdbc)).isOne();
        expectedAtTheRollback = List.of("failed", "replayed");
    }

    @Test
    void anotherPayloadIsRefusedAndTheTestGoesOn() {
        notebook.write("key", "text");

        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> notebook.write("key", "another"));

        assertThat(Notebook.count(jdbc)).isOne();
        expectedAtTheRollback = List.of("failed", "key_reused");
    }

    @Test
    void failureDoesNotEndTheTransactionOfTheTest() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> notebook.writeAndFail("key", "text"))
                .withMessage("after the effect");

        assertThat(Notebook.count(jdbc)).isOne();
        expectedAtTheRollback = List.of("failed");
    }

    static class Outcomes implements IdempotencyListener {

        final List<String> seen = new ArrayList<>();

        @Override
        public void callCompleted(CallCompleted event) {
            seen.add(event.outcome().tag());
        }
    }
}
