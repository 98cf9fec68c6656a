package io.idempotency.boot.upgrade;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AliasFor;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.internal.resume.CallResumer;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** Calls whose process has ended, and that an instance of another version finds. */
@PostgresTest(empty = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ResumeByAnotherVersionTest {

    private static final Queue<String> PAID = new ConcurrentLinkedQueue<>();

    private final TestDatabase database;

    private final ConfigurableApplicationContext older;

    private final ConfigurableApplicationContext newer;

    ResumeByAnotherVersionTest(TestDatabase database) {
        this.database = database;
        older = start(OlderTransfers.class);
        newer = start(NewerTransfers.class);
    }

    private ConfigurableApplicationContext start(Class<?> bean) {
        return JdbcTestApplication.start(database, new Class<?>[] {bean}, "idempotency.outbox.poll-interval=1d");
    }

    @BeforeEach
    void empty() {
        database.jdbc().execute("truncate idempotency.idempotency_request, idempotency.outbox_event");
        PAID.clear();
    }

    @AfterAll
    void stop() {
        older.close();
        newer.close();
    }

    record Order(String from, String to, BigDecimal amount) {}

    record Room(String number, String hotel) {}

    static class OlderTransfers {

        @Leased("swapped")
        public void swapped(String key, String from, String to, long cents) {
            pay(from, to);
        }

        @Leased("transfers")
        public void transfer(String key, Order order) {
            pay(order.from(), order.to());
        }

        @Idempotent(
                scope = "other-payload",
                key = "#key",
                fingerprint = "#order.from",
                mode = IdempotencyMode.LEASED,
                resume = true)
        public void otherPayload(String key, Order order) {
            pay(order.from(), order.to());
        }

        @Leased("renamed-in-step")
        public void renamedInStep(String key, Order order) {
            IdempotencyContext.current().step("reserve", Room.class, () -> new Room("7", "Ritz"));
            pay(order.from(), order.to());
        }

        private static void pay(String from, String to) {
            if (IdempotencyContext.current().attempt() == 1) {
                throw new IllegalStateException("vanished");
            }
            PAID.add("older: " + from + " -> " + to);
        }
    }

    record RenamedOrder(String payer, String to, BigDecimal amount) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    record OrderWithoutSender(String to, BigDecimal amount) {}

    record RetypedOrder(String from, String to, long amount) {}

    record UnreadableOrder(int from, String to, BigDecimal amount) {}

    record AliasedOrder(@JsonAlias("from") String payer, String to, BigDecimal amount) {}

    record OrderWithNote(
            String from,
            String to,
            BigDecimal amount,
            @Nullable String note) {}

    record RenamedRoom(String roomNumber, String hotel) {}

    static class NewerTransfers {

        @Leased("swapped")
        public void swapped(String key, String to, String from, long cents) {
            pay(from, to);
        }

        @Leased("renamed-parameter")
        public void renamedParameter(String key, Order transfer) {
            pay(transfer.from(), transfer.to());
        }

        @Leased("new-parameter")
        public void newParameter(String key, Order order, @Nullable String note) {
            pay(order.from(), order.to());
        }

        @Leased("renamed-component")
        public void renamedComponent(String key, RenamedOrder order) {
            pay(order.payer(), order.to());
        }

        @Leased("removed-component")
        public void removedComponent(String key, OrderWithoutSender order) {
            pay("somebody", order.to());
        }

        @Leased("retyped-component")
        public void retypedComponent(String key, RetypedOrder order) {
            pay(order.from(), order.to());
        }

        @Leased("unreadable")
        public void unreadable(String key, UnreadableOrder order) {
            pay("" + order.from(), order.to());
        }

        @Idempotent(
                scope = "other-key",
                key = "#key + '-2'",
                fingerprint = "''",
                mode = IdempotencyMode.LEASED,
                resume = true)
        public void otherKey(String key, Order order) {
            pay(order.from(), order.to());
        }

        @Idempotent(
                scope = "other-payload",
                key = "#key",
                fingerprint = "#order.to",
                mode = IdempotencyMode.LEASED,
                resume = true)
        public void otherPayload(String key, Order order) {
            pay(order.from(), order.to());
        }

        @Leased("aliased")
        public void aliased(String key, AliasedOrder order) {
            pay(order.payer(), order.to());
        }

        @Leased("added")
        public void added(String key, OrderWithNote order) {
            pay(order.from(), order.to());
        }

        @Leased("renamed-in-step")
        public void renamedInStep(String key, Order order) {
            RenamedRoom room =
                    IdempotencyContext.current().step("reserve", RenamedRoom.class, () -> new RenamedRoom("8", "Ritz"));
            pay(order.from(), "" + room.roomNumber());
        }

        private static void pay(String from, String to) {
            PAID.add("newer: " + from + " -> " + to);
        }
    }

    private static final Order ORDER = new Order("alice", "bob", new BigDecimal("1.5"));

    /** Leaves a row as a process does that ends in its call. */
    private void vanish(String scope) {
        OlderTransfers transfers = older.getBean(OlderTransfers.class);
        assertThatThrownBy(() -> {
                    switch (scope) {
                        case "swapped" -> transfers.swapped("k", "alice", "bob", 100);
                        case "other-payload" -> transfers.otherPayload("k", ORDER);
                        case "renamed-in-step" -> transfers.renamedInStep("k", ORDER);
                        default -> transfers.transfer("k", ORDER);
                    }
                })
                .hasMessage("vanished");
        expire(scope);
    }

    private void expire(String scope) {
        alter("status = 'processing', failure_code = null, failure_message = null,"
                + " locked_until = statement_timestamp() - interval '1 second'");
        makeDue();
        moveTo(scope);
    }

    /** As if the older version had made the call in that scope. */
    private void moveTo(String scope) {
        alter("idempotency_scope = '%1$s', request_id = idempotency.idempotency_request_id('%1$s', 'k')"
                .formatted(scope));
        alterMessage("idempotency_scope = '%1$s', deduplication_key = idempotency.idempotency_request_id('%1$s', 'k')"
                .formatted(scope));
    }

    private void makeDue() {
        alterMessage("status = 'pending', sent_at = null, expires_at = null, next_attempt_at = statement_timestamp(),"
                + " due_at = statement_timestamp() - interval '1 hour'");
    }

    private void alterMessage(String changes) {
        assertThat(database.jdbc().update("update idempotency.outbox_event set " + changes))
                .isEqualTo(1);
    }

    private void alter(String changes) {
        assertThat(database.jdbc().update("update idempotency.idempotency_request set " + changes))
                .isEqualTo(1);
    }

    private static void resumeBy(ConfigurableApplicationContext application) {
        application.getBean(CallResumer.class).resumeAll(() -> true, Runnable::run);
    }

    private Map<String, Object> row() {
        return database.jdbc()
                .queryForMap("select r.*, next_attempt_at - statement_timestamp() between interval '50 seconds' and"
                        + " interval '1 minute' as is_postponed,"
                        + " due_at < statement_timestamp() - interval '50 minutes' as is_late"
                        + " from idempotency.idempotency_request r"
                        + " left join idempotency.outbox_event on true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"swapped", "aliased", "added"})
    void argumentsAreReadByName(String scope) {
        vanish(scope);

        resumeBy(newer);

        assertThat(PAID).containsExactly("newer: alice -> bob");
        assertThat(row()).containsEntry("status", "succeeded");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "renamed-parameter | it was called with the arguments [key, order], and takes [key, transfer]",
                "new-parameter | it was called with the arguments [key, order], and takes [key, order, note]",
                "renamed-component | The stored JSON has $.from, which the type does not know, while $.payer is not stored",
                "removed-component | The stored JSON has $.from, which the type does not know",
                "retyped-component | The stored JSON has $.amount, which is another value",
                "unreadable | the argument 'order' cannot be read as",
                "other-key | its arguments give another key",
                "other-payload | its arguments give another fingerprint",
            })
    void anotherVersionLeavesTheCallToTheOneThatKnowsIt(String scope, String problem) {
        vanish(scope);

        try (LogLines log = LogLines.of(CallResumer.class.getName())) {
            resumeBy(newer);
            makeDue();
            resumeBy(newer);

            assertThat(log.all())
                    .as("once")
                    .singleElement()
                    .satisfies(line -> assertThat(line.getFormattedMessage())
                            .startsWith("The key 'k' in scope '" + scope + "' cannot be resumed by this version of "
                                    + NewerTransfers.class.getName())
                            .contains(problem)
                            .contains("It is no attempt, and is tried again at least every PT1M")
                            .doesNotContain("alice"));
        }
        assertThat(PAID).isEmpty();
        assertThat(row())
                .containsEntry("attempt_count", 1)
                .containsEntry("status", "processing")
                .containsEntry("is_postponed", true)
                .containsEntry("is_late", true);

        makeDue();
        moveTo(scope.equals("other-payload") ? scope : "transfers");
        resumeBy(older);

        assertThat(PAID).containsExactly("older: alice -> bob");
        assertThat(row()).containsEntry("status", "succeeded").containsEntry("attempt_count", 2);
    }

    /** More than are read at once. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "payload = '{\"key\": \"\\u0000\", \"\\u0000\": 1}' | it was called with the arguments",
                "payload = '[]' | its arguments cannot be read: they are not a JSON object",
                "payload = concat(repeat('[', 2000), repeat(']', 2000))::json | its arguments cannot be read",
                "aggregate_id = null | it has no aggregate_id",
                "idempotency_key = chr(7) | its scope, caller or key is malformed",
                "deduplication_key = null, payload = 'null' | its arguments cannot be read",
                "due_at = '-infinity', attempt_count = 2147483647, aggregate_id = 'no uuid' |",
                "due_at = 'infinity', next_attempt_at = statement_timestamp() - interval '1 second', attempt_count = -1, headers = '[]', payload = '1' | its arguments",
            })
    void messagesThatCannotBeReadHideNoOther(String change, String problem) {
        vanish("swapped");
        database.jdbc().update("""
                insert into idempotency.outbox_event (message_id, topic, message_type, lane, aggregate_type, aggregate_id,
                    payload, headers, deduplication_key, idempotency_scope, caller, idempotency_key, status, attempt_count,
                    created_at, due_at, next_attempt_at)
                select gen_random_uuid(), topic, 'poison', lane, aggregate_type, aggregate_id, payload, headers, i,
                    idempotency_scope, caller, idempotency_key, status, 0, created_at, due_at,
                    next_attempt_at - interval '1 minute'
                from idempotency.outbox_event cross join generate_series(1, 12) as i""");
        database.jdbc().execute("update idempotency.outbox_event set " + change + " where message_type = 'poison'");

        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> resumeBy(newer));

        assertThat(PAID).containsExactly("newer: alice -> bob");
        assertThat(database.jdbc()
                        .queryForList(
                                "select last_error from idempotency.outbox_event where status = 'pending'",
                                String.class))
                .as("those that are read after the call has ended are removed, unless they are malformed")
                .hasSizeBetween(problem == null ? 0 : 10, problem == null ? 0 : 12)
                .allMatch(error -> error.contains(problem));
    }

    @Test
    void theCharacterZeroIsAnArgumentLikeAnother() {
        OlderTransfers transfers = older.getBean(OlderTransfers.class);
        assertThatThrownBy(() -> transfers.swapped("k", "ali\0ce", "bob", 100)).hasMessage("vanished");
        expire("swapped");

        resumeBy(newer);

        assertThat(PAID).containsExactly("newer: ali\0ce -> bob");
    }

    @Test
    void theResultOfAStepIsNotReadWithoutAMember() {
        vanish("renamed-in-step");

        resumeBy(newer);

        assertThat(PAID).isEmpty();
        assertThat(row()).containsEntry("status", "failed_retryable");
        assertThat(row().get("failure_message"))
                .asString()
                .contains("cannot read the result of the step 'reserve' as " + RenamedRoom.class.getName());
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Idempotent(scope = "", key = "#key", fingerprint = "''", mode = IdempotencyMode.LEASED, resume = true)
    @interface Leased {

        @AliasFor(annotation = Idempotent.class, attribute = "scope")
        String value();
    }
}
