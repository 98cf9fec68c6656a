package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.JdbcUpdateAffectedIncorrectNumberOfRowsException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.IdempotencyOperations.Write;
import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;
import io.idempotency.ReentrantCallException;
import io.idempotency.RequestInProgressException;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.RoundTripCounter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A write: its key, its statements and its response in one message. */
@ContractTest
class KeyedWriteTest {

    private final ContractApplications applications;

    private final ContractApplication application;

    private final ContractApplication other;

    private final JdbcTemplate jdbc;

    private String key = "";

    KeyedWriteTest(ContractApplications applications) {
        this.applications = applications;
        application = applications.withQuietFailures().start(List.of());
        other = applications.start(List.of());
        jdbc = applications.database().jdbc();
        jdbc.execute("create sequence execution; create table transfer (id uuid primary key, cents bigint not null,"
                + " execution bigint not null default nextval('execution'))");
    }

    @BeforeEach
    void clear() {
        key = "transfer-" + UUID.randomUUID();
        jdbc.execute("delete from transfer; select setval('execution', 1, false)");
    }

    private static Write transfer(ContractApplication application, String key, long cents) {
        return application
                .bean(IdempotencyOperations.class)
                .write("transfers", key, cents)
                .statement(
                        "update account set cents = cents - :cents where name = 'a1' and cents >= :cents",
                        Map.of("cents", cents))
                .expectRows(1, NoFunds::new)
                .statement(
                        "insert into transfer (id, cents) values (:id, :cents)",
                        Map.of("id", UUID.randomUUID(), "cents", cents));
    }

    private Write write(String scope) {
        return application.bean(IdempotencyOperations.class).write(scope, key, "same");
    }

    private static Done respond(ContractApplication application, String key) {
        return transfer(application, key, 5).respond(Done.class, new Done(UUID.randomUUID()));
    }

    @Test
    void aNewKeyTakesOneRoundTripAndARepeatReplays() throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(applications.database())) {
            ContractApplication counted = applications.start(
                    List.of(),
                    "spring.datasource.url=" + counter.jdbcUrl(),
                    "spring.datasource.hikari.maximum-pool-size=1");
            // The first call of a scope records who owns it.
            respond(counted, key + "first");
            for (int call = 0; call < 8; call++) {
                Done done = new Done(UUID.randomUUID());
                String each = key + call;

                assertThat(counter.count(
                                () -> assertThat(transfer(counted, each, 5).respond(Done.class, done))
                                        .isEqualTo(done)))
                        .isEqualTo(1);
                assertThat(counter.count(
                                () -> assertThat(respond(counted, each)).isEqualTo(done)))
                        .isEqualTo(1);
            }
        }
        assertThat(transfers()).isEqualTo(9);
        assertThat(application.spent("a1")).isEqualTo(45);
    }

    @Test
    void aRepeatInAnotherInstanceExecutesNoStatement() {
        Done done = respond(other, key);

        assertThat(respond(application, key)).isEqualTo(done);

        assertThat(outcomes()).containsExactly(Outcome.REPLAYED);
        assertThat(transfers()).isEqualTo(1);
        assertThat(jdbc.queryForObject("select last_value from execution", Long.class))
                .as("a sequence keeps what a rollback undoes")
                .isEqualTo(1);
    }

    @Test
    void aWriteWithoutAResponseIsMadeOnce() {
        transfer(other, key, 5).run();
        transfer(application, key, 5).run();
        transfer(application, key, 5).run();

        assertThat(outcomes()).containsExactly(Outcome.REPLAYED, Outcome.REPLAYED);
        assertThat(application.spent("a1")).isEqualTo(5);
    }

    @Test
    void theRowOfTheLastStatementIsTheResponse() {
        Executed first = returningRow(other, key);

        assertThat(first).isNotNull().extracting(Executed::number).isEqualTo(1L);
        assertThat(returningRow(other, key)).isEqualTo(first);
        assertThat(returningRow(application, key)).isEqualTo(first);
        assertThat(application.request(key).get("response_body"))
                .hasToString("{\"id\":\"" + first.id() + "\",\"number\":1}");
    }

    @Test
    void aRowThatIsMissingFailsTheWrite() {
        assertThatExceptionOfType(IncorrectResultSizeDataAccessException.class)
                .isThrownBy(() -> transfer(application, key, 5)
                        .statement("update transfer set cents = 0 where cents = 6 returning id", Map.of())
                        .returnRow(Executed.class));

        assertNothingIsKept(Outcome.FAILED);
    }

    private static Executed returningRow(ContractApplication in, String key) {
        return in.bean(IdempotencyOperations.class)
                .write("transfers-with-row", key, "same")
                .statement("update account set cents = cents - 5 where name = 'a1'", Map.of())
                .expectRows(1)
                .statement(
                        "insert into transfer (id, cents) values (:id, 5) returning id, execution as \"number\"",
                        Map.of("id", UUID.randomUUID()))
                .returnRow(Executed.class);
    }

    @Test
    void aStatementSeesThoseBeforeIt() {
        Map<String, UUID> id = Map.of("id", UUID.randomUUID());
        write("ordered")
                .statement("insert into transfer (id, cents) values (:id, 1)", id)
                .statement("update transfer set cents = cents + 1 where id = :id", id)
                .expectRows(1)
                .statement("update transfer set cents = cents * 10 where id = :id", id)
                .expectRows(1)
                .run();

        assertThat(jdbc.queryForObject("select cents from transfer", Long.class))
                .isEqualTo(20);
    }

    @Test
    void anExpectationThatIsNotMetIsTheExceptionOfTheApplicationOrNamesStatementAndNumbers() {
        assertThatExceptionOfType(NoFunds.class)
                .isThrownBy(() -> transfer(application, key, ContractApplication.INITIAL_CENTS + 1)
                        .run());
        assertNothingIsKept(Outcome.FAILED);

        assertThatThrownBy(() -> write("expecting")
                        .statement("delete from transfer", Map.of())
                        .expectRows(1)
                        .run())
                .isInstanceOf(JdbcUpdateAffectedIncorrectNumberOfRowsException.class)
                .hasMessageContaining("delete from transfer")
                .hasMessageContaining("affected 0 rows, not 1");

        assertNothingIsKept(Outcome.FAILED);
    }

    @Test
    void aFinalFailureIsRecordedAndReplayed() {
        for (Class<? extends Exception> expected : List.of(NoFunds.class, RecordedFailureException.class)) {
            assertThatThrownBy(() -> application
                            .bean(IdempotencyOperations.class)
                            .call("final", key, "same")
                            .finalFailures(List.of(NoFunds.class))
                            .write()
                            .statement("update account set cents = 0 where name = 'none'", Map.of())
                            .expectRows(1, NoFunds::new)
                            .run())
                    .isInstanceOf(expected);
        }
        assertThat(outcomes()).containsExactly(Outcome.FAILED_FINAL, Outcome.FAILURE_REPLAYED);
    }

    @Test
    void anErrorOfAStatementReachesTheCallerAndNothingIsKept() {
        UUID id = UUID.randomUUID();
        jdbc.update("insert into transfer values (?, 5)", id);

        assertThatExceptionOfType(DuplicateKeyException.class)
                .isThrownBy(() -> transfer(application, key, 5)
                        .statement("insert into transfer (id, cents) values (:id, 5)", Map.of("id", id))
                        .run());

        assertThat(transfers()).isEqualTo(1);
        assertThat(application.spent("a1")).isZero();
        assertThat(application.requests()).isZero();
        assertThat(outcomes()).containsExactly(Outcome.FAILED);
    }

    @Test
    void anotherPayloadIsRefused() {
        transfer(other, key, 5).run();

        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() -> transfer(application, key, 6).run());

        assertThat(application.spent("a1")).isEqualTo(5);
    }

    @Test
    void inAnOpenTransactionItIsPartOfThat() {
        application.transaction().executeWithoutResult(status -> {
            respond(application, key);
            assertThat(transfers()).as("seen from outside").isZero();
            status.setRollbackOnly();
        });
        assertNothingIsKept(Outcome.FAILED);

        Done done = application.transaction().execute(status -> respond(application, key));

        assertThat(respond(other, key)).isEqualTo(done);
        assertThat(application.spent("a1")).isEqualTo(5);
    }

    @Test
    void theWaitForAnotherTransactionIsBounded() {
        other.transaction().executeWithoutResult(status -> {
            transfer(other, key, 5).run();

            assertThat(ConcurrentCalls.run(
                                    1,
                                    () -> application
                                            .bean(IdempotencyOperations.class)
                                            .call("transfers", key, 5L)
                                            .waitTimeout(Duration.ofMillis(300))
                                            .write()
                                            .statement("delete from transfer", Map.of())
                                            .run())
                            .failures())
                    .singleElement()
                    .isInstanceOf(RequestInProgressException.class);
        });
        assertThat(outcomes()).containsExactly(Outcome.IN_PROGRESS);
    }

    /** The statements and the COMMIT have the bound of the application, not that of the wait for the key. */
    @Test
    void theBoundOfTheWaitEndsWithTheClaim() {
        Setting setting = write("settings")
                .statement("select current_setting('statement_timeout') as value", Map.of())
                .returnRow(Setting.class);

        assertThat(setting).isEqualTo(new Setting("0"));
    }

    /** Where the pool hands out connections without auto-commit, nothing but the message commits. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommentDoesNotSwallowTheCommit(boolean autoCommit) {
        ContractApplication pooled =
                applications.start(List.of(), "spring.datasource.hikari.auto-commit=" + autoCommit);
        transfer(pooled, key, 5)
                .statement("update transfer set cents = cents -- once", Map.of())
                .expectRows(1)
                .statement("update transfer set cents = cents * 2 -- twice", Map.of())
                .run();

        assertThat(jdbc.queryForObject("select cents from transfer", Long.class))
                .isEqualTo(10);
        transfer(application, key, 5).run();
        assertThat(outcomes()).containsExactly(Outcome.REPLAYED);
    }

    @Test
    void anOptimisticCallCanBeAWriteToo() {
        Done done = respond(other, key);

        assertThat(application
                        .bean(IdempotencyOperations.class)
                        .call("transfers", key, 5L)
                        .optimistic()
                        .write()
                        .statement("insert into transfer (id, cents) values (:id, 5)", Map.of("id", UUID.randomUUID()))
                        .respond(Done.class, new Done(UUID.randomUUID())))
                .isEqualTo(done);

        assertThat(transfers()).isEqualTo(1);
        assertThat(jdbc.queryForObject("select last_value from execution", Long.class))
                .isEqualTo(1);
    }

    @Test
    void aCollectionHasAPlaceholderForEachElement() {
        List<UUID> ids = List.of(UUID.randomUUID(), UUID.randomUUID());
        ids.forEach(id -> jdbc.update("insert into transfer (id, cents) values (?, 5)", id));

        write("collections")
                .statement("update transfer set cents = :cents where id in (:ids)", Map.of("ids", ids, "cents", 7))
                .expectRows(2)
                .run();

        assertThat(jdbc.queryForList("select cents from transfer", Long.class)).containsExactly(7L, 7L);
    }

    @Test
    void aColumnMayHaveAnyName() {
        for (ContractApplication one : List.of(other, application)) {
            assertThat(one.bean(IdempotencyOperations.class)
                            .write("columns", key, "same")
                            .statement("select 1 as written, 2 as counted, 3 as required", Map.of())
                            .returnRow(Columns.class))
                    .isEqualTo(new Columns(1, 2, 3));
        }
    }

    /** As a request with an open EntityManager has, which may hold a connection. */
    @Test
    void aThreadThatMayHoldAConnectionTakesNoSecondOne() {
        TransactionSynchronizationManager.bindResource("held", "connection");
        try {
            transfer(application, key, 5).run();
            transfer(application, key, 5).run();
        } finally {
            TransactionSynchronizationManager.unbindResource("held");
        }
        assertThat(application.spent("a1")).isEqualTo(5);
        assertThat(outcomes()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @Test
    void aWriteThatWouldWaitForASuspendedTransactionOfItsThreadIsRefused() {
        TransactionTemplate without = application.transaction(Propagation.NOT_SUPPORTED);

        application.transaction().executeWithoutResult(status -> {
            transfer(application, key, 5).run();
            assertThatExceptionOfType(ReentrantCallException.class)
                    .isThrownBy(() -> without.executeWithoutResult(
                            none -> transfer(application, key, 5).run()));
        });

        assertThat(application.spent("a1")).isEqualTo(5);
    }

    @Test
    void theTimeoutOfAnOpenTransactionBoundsItsStatements() {
        TransactionTemplate hurried = application.transaction();
        hurried.setTimeout(1);

        assertThatThrownBy(() -> hurried.executeWithoutResult(status ->
                        write("slow").statement("select pg_sleep(60)", Map.of()).run()))
                .isInstanceOf(QueryTimeoutException.class);

        assertNothingIsKept(Outcome.FAILED);
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(
            strings = {
                "preferQueryMode=simple",
                "preferQueryMode=extendedForPrepared",
                "prepareThreshold=1",
                "prepareThreshold=0",
                "autosave=always",
                "defaultRowFetchSize=1",
                "stringtype=unspecified"
            })
    void aWriteIsOneThingOrNothingHoweverTheDriverSendsIt(String setting) {
        String url = applications.database().jdbcUrl();
        ContractApplication set = applications.start(
                List.of(), "spring.datasource.url=" + url + (url.contains("?") ? "&" : "?") + setting);
        for (int call = 0; call < 8; call++) {
            String each = key + call;
            Done done = new Done(UUID.randomUUID());
            assertThat(transfer(set, each, 5).respond(Done.class, done)).isEqualTo(done);
            assertThat(respond(other, each)).isEqualTo(done);

            transfer(other, each + "-other", 5).run();
            transfer(set, each + "-other", 5).run();
            assertThatExceptionOfType(NoFunds.class)
                    .isThrownBy(() -> transfer(set, each + "-failing", ContractApplication.INITIAL_CENTS)
                            .run());
            assertThat(returningRow(set, each)).isNotNull();
        }
        assertThat(transfers()).isEqualTo(24);
        assertThat(set.spent("a1")).isEqualTo(120);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete from transfer; delete from account",
                "commit",
                "",
                "-- comment",
                "call anything()",
                "select 1;"
            })
    void whatIsNoStatementIsRefused(String sql) {
        Write write = write("refused");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> write.statement(sql, Map.of()))
                .withMessageContaining("has to begin with INSERT");
    }

    @Test
    void whatCannotBeExpectedIsRefused() {
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);
        Write empty = operations.write("refused", key, "same");

        assertThatIllegalArgumentException().isThrownBy(empty::run).withMessageContaining("has to have a statement");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> empty.expectRows(1))
                .withMessageContaining("belongs to the statement before it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> empty.statement("select 1", Map.of()).expectRows(1))
                .withMessageContaining("belongs to the statement before it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> empty.statement("select :missing", Map.of("other", 1)))
                .withMessageContaining("has no value");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> empty.statement("insert into transfer values (?, ?)", Map.of()))
                .withMessageContaining("name its parameters");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> operations
                        .call("refused", key, "same")
                        .leased(Duration.ofSeconds(1))
                        .write())
                .withMessageContaining("cannot be leased");
        assertThat(application.requests()).isZero();
    }

    private long transfers() {
        return jdbc.queryForObject("select count(*) from transfer", Long.class);
    }

    private List<Outcome> outcomes() {
        return application.outcomes().all();
    }

    private void assertNothingIsKept(Outcome outcome) {
        assertThat(transfers()).isZero();
        assertThat(application.spent("a1")).isZero();
        assertThat(application.requests()).isZero();
        assertThat(outcomes()).containsExactly(outcome);
        application.outcomes().clear();
    }

    record Done(UUID id) {}

    record Columns(int written, int counted, int required) {}

    record Setting(String value) {}

    record Executed(UUID id, long number) {}

    static class NoFunds extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }
}
