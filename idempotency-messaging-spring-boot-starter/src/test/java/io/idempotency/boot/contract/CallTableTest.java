package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

import io.idempotency.ClaimAbandonedException;
import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.LeaseLostException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.TransactionFailedException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What a call meets: a case for each row of the table in the contract, in each form where it applies. */
@Tag("citus")
@ContractTest
class CallTableTest {

    static final String KEY = "order-4711";

    private static final String COMMITTED_AS_PROCESSING = "status = 'processing', response_body = null";

    private final ContractApplication application;

    CallTableTest(ContractApplications applications) {
        application = applications.start(List.of(Transfers.class));
    }

    /** How the call is made. */
    enum Form {
        TRANSACTIONAL,
        OPTIMISTIC,
        LEASED,
        WRITE;

        String scope() {
            return "transfers-" + name().toLowerCase(Locale.ROOT);
        }
    }

    enum Row {
        MALFORMED(InvalidIdempotencyKeyException.class, Outcome.INVALID_KEY, 0),
        MISSING(MissingIdempotencyKeyException.class, Outcome.INVALID_KEY, 0),
        UNKNOWN(null, Outcome.EXECUTED, 1),
        SUCCEEDED(null, Outcome.REPLAYED, 0),
        HELD(RequestInProgressException.class, Outcome.IN_PROGRESS, 0),
        HELD_BY_AN_EXPIRED_LEASE(null, Outcome.RECOVERED, 1),
        FAILED_RETRYABLE(null, Outcome.RETRIED, 1),
        FAILED_FINAL(RecordedFailureException.class, Outcome.FAILURE_REPLAYED, 0),
        USED_WITH_ANOTHER_FINGERPRINT(KeyReusedException.class, Outcome.KEY_REUSED, 0),
        RESPONSE_NO_LONGER_STORED(ResponseExpiredException.class, Outcome.RESPONSE_EXPIRED, 0),
        RESPONSE_UNREADABLE(UnreadableResponseException.class, Outcome.UNREADABLE, 0),
        COMMITTED_AS_PROCESSING_WITHOUT_A_LEASE(ClaimAbandonedException.class, Outcome.ABANDONED, 0),
        METHOD_THROWS(IllegalStateException.class, Outcome.FAILED, 0),
        METHOD_SETS_ROLLBACK_ONLY(TransactionFailedException.class, Outcome.FAILED, 0),
        METHOD_FAILS_FOR_GOOD(NoFunds.class, Outcome.FAILED_FINAL, 0),
        LEASE_IS_LOST(LeaseLostException.class, Outcome.LEASE_LOST, 0);

        private final @Nullable Class<? extends Throwable> thrown;

        final Outcome outcome;

        private final int newEffects;

        Row(@Nullable Class<? extends Throwable> thrown, Outcome outcome, int newEffects) {
            this.thrown = thrown;
            this.outcome = outcome;
            this.newEffects = newEffects;
        }

        boolean isMetBy(Form form) {
            return switch (this) {
                case LEASE_IS_LOST -> form == Form.LEASED;
                case METHOD_FAILS_FOR_GOOD -> form != Form.OPTIMISTIC;
                case METHOD_THROWS, METHOD_SETS_ROLLBACK_ONLY -> form != Form.WRITE;
                default -> true;
            };
        }

        @Nullable String key() {
            return switch (this) {
                case MALFORMED -> "line\nbreak";
                case MISSING -> null;
                default -> KEY;
            };
        }

        void arrange(World world) {
            switch (this) {
                case SUCCEEDED -> world.succeeded();
                case HELD -> world.heldByAnotherCall();
                case HELD_BY_AN_EXPIRED_LEASE ->
                    world.altered(COMMITTED_AS_PROCESSING + ", claim_token = '" + new UUID(0, 1)
                            + "', locked_until = now() - interval '1 second'");
                case FAILED_RETRYABLE ->
                    world.altered("status = 'failed_retryable', response_body = null, request_hash = '\\x00'");
                case FAILED_FINAL ->
                    world.altered("status = 'failed_final', response_body = null, failure_code = 'no_funds'");
                case USED_WITH_ANOTHER_FINGERPRINT -> world.altered("request_hash = '\\x00'");
                case RESPONSE_NO_LONGER_STORED -> world.altered("response_body = null");
                case RESPONSE_UNREADABLE -> world.altered("response_body = '[]'");
                case COMMITTED_AS_PROCESSING_WITHOUT_A_LEASE -> world.altered(COMMITTED_AS_PROCESSING);
                case METHOD_THROWS ->
                    world.afterEffect(() -> {
                        throw new IllegalStateException("provider is down");
                    });
                case METHOD_SETS_ROLLBACK_ONLY ->
                    world.afterEffect(() ->
                            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly());
                case METHOD_FAILS_FOR_GOOD -> world.failsForGood();
                case LEASE_IS_LOST ->
                    world.afterEffect(() -> world.alter("claim_token = '" + new UUID(0, 1) + "', attempt_count = 2"));
                default -> {}
            }
        }
    }

    static Stream<Arguments> rowsInTheirForms() {
        return Arrays.stream(Row.values())
                .flatMap(
                        row -> Arrays.stream(Form.values()).filter(row::isMetBy).map(form -> arguments(row, form)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("rowsInTheirForms")
    void theCallMeetsWhatTheContractSays(Row row, Form form) {
        try (World world = new World(application, form)) {
            row.arrange(world);
            long effectsBefore = application.effects();
            application.outcomes().clear();

            Throwable thrown = catchThrowable(() -> world.call(row.key()));

            if (row.thrown == null) {
                assertThat(thrown).isNull();
            } else {
                assertThat(thrown).isInstanceOf(row.thrown);
            }
            assertThat(application.outcomes().all()).containsExactly(row.outcome);
            assertThat(application.effects() - effectsBefore).isEqualTo(row.newEffects);
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("rowsInTheirForms")
    void aRepeatOfACallThatReturnedGetsTheSameResult(Row row, Form form) {
        try (World world = new World(application, form)) {
            row.arrange(world);
            if (row.thrown != null) {
                assertThat(catchThrowable(() -> world.call(row.key()))).isInstanceOf(row.thrown);
                return;
            }
            Receipt receipt = world.call(row.key());

            assertThat(world.call(row.key())).isEqualTo(receipt);
        }
    }

    static class NoFunds extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    /** The state that a call meets, and the call. */
    static final class World implements AutoCloseable {

        private static final PayCommand COMMAND = new PayCommand("a1", 5);

        private final Gate gate = new Gate();

        private final ContractApplication application;

        private final Form form;

        private long expectedRows = 1;

        private @Nullable ConcurrentCalls<Receipt> holder;

        World(ContractApplication application, Form form) {
            this.application = application;
            this.form = form;
        }

        Receipt call(@Nullable String key) {
            Transfers transfers = application.bean(Transfers.class);
            return switch (form) {
                case TRANSACTIONAL -> transfers.transfer(key, COMMAND);
                case OPTIMISTIC -> transfers.transferOptimistically(key, COMMAND);
                case LEASED -> transfers.transferLeased(key, COMMAND);
                case WRITE -> write(key);
            };
        }

        private Receipt write(@Nullable String key) {
            Receipt receipt = Receipt.of(COMMAND);
            return programmaticCall(key)
                    .write()
                    .statement(
                            "insert into payment (id, account, cents) values (:id, :account, :cents)",
                            Map.of("id", receipt.paymentId(), "account", receipt.account(), "cents", receipt.cents()))
                    .expectRows(expectedRows, NoFunds::new)
                    .respond(Receipt.class, receipt);
        }

        private IdempotencyOperations.Call programmaticCall(@Nullable String key) {
            return application
                    .bean(IdempotencyOperations.class)
                    .call(form.scope(), key, COMMAND)
                    .waitTimeout(Duration.ofMillis(200))
                    .finalFailures(List.of(NoFunds.class));
        }

        void succeeded() {
            call(KEY);
        }

        void altered(String assignments) {
            succeeded();
            alter(assignments);
        }

        void alter(String assignments) {
            application.alterRequest(KEY, assignments);
        }

        void afterEffect(Runnable action) {
            application.interruption().afterEffectDo(action);
        }

        void failsForGood() {
            expectedRows = 2;
            afterEffect(() -> {
                throw new NoFunds();
            });
        }

        void heldByAnotherCall() {
            afterEffect(gate::holdTheFirst);
            holder = ConcurrentCalls.start(1, () -> form == Form.WRITE ? hold() : call(KEY));
            gate.awaitHeld();
        }

        /** A write has no method that could hold its key. */
        private Receipt hold() {
            return programmaticCall(KEY).returning(Receipt.class).execute(() -> {
                gate.holdTheFirst();
                return Receipt.of(COMMAND);
            });
        }

        @Override
        public void close() {
            gate.open();
            if (holder != null) {
                holder.await().requireAllSucceeded();
            }
        }
    }

    static class Transfers extends PayingBean {

        @Transactional
        @Idempotent(
                scope = "transfers-transactional",
                key = "#key",
                fingerprint = "#command",
                waitTimeout = "200ms",
                finalFailures = NoFunds.class)
        Receipt transfer(@Nullable String key, PayCommand command) {
            return makeEffect(command);
        }

        @Transactional
        @Idempotent(
                scope = "transfers-optimistic",
                key = "#key",
                fingerprint = "#command",
                waitTimeout = "200ms",
                mode = IdempotencyMode.OPTIMISTIC)
        Receipt transferOptimistically(@Nullable String key, PayCommand command) {
            return makeEffect(command);
        }

        @Transactional
        @Idempotent(
                scope = "transfers-leased",
                key = "#key",
                fingerprint = "#command",
                waitTimeout = "200ms",
                mode = IdempotencyMode.LEASED,
                finalFailures = NoFunds.class)
        Receipt transferLeased(@Nullable String key, PayCommand command) {
            return makeEffect(command);
        }

        private Receipt makeEffect(PayCommand command) {
            Receipt receipt = Receipt.of(command);
            jdbc.update(
                    "insert into payment (id, account, cents) values (?, ?, ?)",
                    receipt.paymentId(),
                    receipt.account(),
                    receipt.cents());
            interruption.afterEffect();
            return receipt;
        }
    }
}
