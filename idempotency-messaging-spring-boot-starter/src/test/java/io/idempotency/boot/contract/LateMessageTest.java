package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RecordedFailureException;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.boot.testing.RunTimeNames;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The row of the key and its COMMIT are one message, which the server gets when the call has ended long ago. */
@ContractTest
@Tag("race")
class LateMessageTest {

    private final CuttingProxy proxy;

    private final ContractApplication application;

    private final ContractApplication withoutRetries;

    private final JdbcTemplate jdbc;

    LateMessageTest(ContractApplications applications) {
        proxy = applications.proxy();
        jdbc = applications.database().jdbc();
        List<Class<?>> beans = List.of(Shop.class, Interrupting.class);
        application = applications.start(beans);
        withoutRetries = applications.start(beans, "idempotency.retry.max-attempts=1");
        RunTimeNames.record(application.context(), "scope", "shop-writes");
        RunTimeNames.record(withoutRetries.context(), "scope", "shop-writes");
    }

    @AfterEach
    void clear() {
        jdbc.execute("drop trigger if exists refuse on idempotency.idempotency_request");
        application.bean(Shop.class).beforeEffectDo(execution -> {});
    }

    enum Call {
        OPTIMISTIC,
        OPTIMISTIC_WITHOUT_A_STATEMENT,
        WRITE,
        WRITE_WITHOUT_A_RESPONSE,
        WRITE_THAT_RETURNS_A_ROW;

        Object in(ContractApplication application) {
            return in(application, "key");
        }

        Object in(ContractApplication application, String key) {
            return switch (this) {
                case OPTIMISTIC -> application.bean(Shop.class).sell(key);
                case OPTIMISTIC_WITHOUT_A_STATEMENT ->
                    application.bean(Shop.class).answer(key);
                case WRITE -> write(application, key).respond(String.class, "sold");
                case WRITE_WITHOUT_A_RESPONSE -> {
                    write(application, key).run();
                    yield "sold";
                }
                case WRITE_THAT_RETURNS_A_ROW ->
                    write(application, key)
                            .statement("select name from account where name = 'a1'", Map.of())
                            .returnRow(Sold.class);
            };
        }

        long effects() {
            return this == OPTIMISTIC_WITHOUT_A_STATEMENT ? 0 : 1;
        }

        private static IdempotencyOperations.Write write(ContractApplication application, String key) {
            return application
                    .bean(IdempotencyOperations.class)
                    .call("shop-writes", key, "same")
                    .finalFailures(List.of(SoldOut.class))
                    .write()
                    .statement("update account set cents = cents - 5 where name = 'a1' and cents >= 5", Map.of())
                    .expectRows(1, SoldOut::new)
                    .statement(
                            "insert into payment (id, account, cents) values (:id, 'a1', 5)",
                            Map.of("id", UUID.randomUUID()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void afterTheFailureIsShownItCommitsNothing(Call call) throws Exception {
        proxy.holdNext("COMMIT");
        assertThatThrownBy(() -> call.in(withoutRetries))
                .isNotInstanceOf(OutcomeUnknownException.class)
                .hasStackTraceContaining("I/O error");

        proxy.deliver();

        assertThat(application.effects()).isZero();
        assertThat(row()).containsEntry("status", "failed_retryable").containsEntry("attempt_count", 1);
        Object answer = call.in(withoutRetries);
        assertThat(call.in(application)).isEqualTo(answer);
        assertThat(application.effects()).isEqualTo(call.effects());
        assertThat(withoutRetries.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.RETRIED);
    }

    @ParameterizedTest
    @EnumSource
    void afterTheRepeatHasSucceededItCommitsNothing(Call call) throws Exception {
        proxy.holdNext("COMMIT");
        Object answer = call.in(application);

        proxy.deliver();

        assertThat(call.in(application)).isEqualTo(answer);
        assertThat(application.effects()).isEqualTo(call.effects());
        assertThat(row()).containsEntry("status", "succeeded").containsEntry("attempt_count", 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"OPTIMISTIC", "OPTIMISTIC_WITHOUT_A_STATEMENT"})
    void afterTheFailureOfTheRepeatIsShownItCommitsNothing(Call call) throws Exception {
        proxy.holdNext("COMMIT");
        application.bean(Shop.class).beforeEffectDo(execution -> {
            if (execution == 2) {
                throw new SoldOut();
            }
        });
        assertThatThrownBy(() -> call.in(application)).isInstanceOf(SoldOut.class);

        proxy.deliver();

        assertThat(application.effects()).isZero();
        assertThat(row()).containsEntry("status", "failed_retryable");
        call.in(application);
        assertThat(application.effects()).isEqualTo(call.effects());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "WRITE.*")
    void afterTheFinalFailureOfTheRepeatIsShownItCommitsNothing(Call call) throws Exception {
        proxy.holdNext("COMMIT");
        jdbc.update("update account set cents = 0 where name = 'a1'");
        assertThatExceptionOfType(SoldOut.class).isThrownBy(() -> call.in(application));
        jdbc.update("update account set cents = 100 where name = 'a1'");

        proxy.deliver();

        assertThat(application.effects()).isZero();
        assertThatExceptionOfType(RecordedFailureException.class).isThrownBy(() -> call.in(application));
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED_FINAL, Outcome.FAILURE_REPLAYED);
    }

    /** The message waits for the claim of the repeat, and is done when that is rolled back. */
    @ParameterizedTest
    @EnumSource(names = {"OPTIMISTIC", "OPTIMISTIC_WITHOUT_A_STATEMENT"})
    void ifItCommitsBeforeTheFailureOfTheRepeatIsShownItIsTheAnswer(Call call) {
        proxy.holdNext("COMMIT");
        try (Callers callers = Callers.onPlatformThreads()) {
            AtomicReference<Callers.@Nullable Call<Void>> delivery = new AtomicReference<>();
            application.bean(Shop.class).beforeEffectDo(execution -> {
                if (execution == 2) {
                    delivery.set(callers.start(() -> {
                        proxy.deliver();
                        return null;
                    }));
                    application.database().backends().awaitBlocked(1);
                    Callbacks.afterCompletion(status -> delivery.get().answer());
                    throw new SoldOut();
                }
            });

            assertThat(call.in(application)).isEqualTo("sold in execution 1");
        }
        assertThat(application.effects()).isEqualTo(call.effects());
        assertThat(application.outcomes().all()).containsExactly(Outcome.REPLAYED);
    }

    @ParameterizedTest
    @EnumSource
    void ifNoRowCanBeLeftTheOutcomeIsUnknown(Call call) throws Exception {
        jdbc.execute("create or replace function refuse() returns trigger language plpgsql as $$ begin"
                + " raise 'no room for a failure' using errcode = '53100'; end $$");
        jdbc.execute("create trigger refuse before insert on idempotency.idempotency_request for each row"
                + " when (new.status = 'failed_retryable') execute function refuse()");
        proxy.holdNext("COMMIT");

        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> call.in(withoutRetries))
                .withMessageContaining("Repeat this call with the same key");

        proxy.deliver();

        assertThat(application.effects()).isEqualTo(call.effects());
        call.in(application);
        assertThat(application.effects()).isEqualTo(call.effects());
    }

    @Test
    void aClaimOfALeaseThatArrivesAfterItsRepeatChangesNothing() throws Exception {
        proxy.holdNext("COMMIT");
        String answer = application.bean(Shop.class).sellUnderALease("key");

        proxy.deliver();

        assertThat(application.bean(Shop.class).sellUnderALease("key")).isEqualTo(answer);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(row()).containsEntry("status", "succeeded").containsEntry("attempt_count", 1);
    }

    @Test
    void aCompletionOfALeaseThatArrivesAfterItsFailureIsShownCommitsNothing() throws Exception {
        Shop shop = application.bean(Shop.class);
        shop.beforeEffectDo(this::holdTheFirst);
        assertThatThrownBy(() -> shop.sellUnderALease("key"))
                .isNotInstanceOf(OutcomeUnknownException.class)
                .hasStackTraceContaining("I/O error");

        proxy.deliver();

        assertThat(application.effects()).isZero();
        assertThat(row()).containsEntry("status", "failed_retryable").containsEntry("attempt_count", 1);
        assertThat(shop.sellUnderALease("key")).isEqualTo("sold in execution 2");
        assertThat(application.effects()).isEqualTo(1);
    }

    @Test
    void aCompletionOfALeaseThatArrivesBeforeItsFailureIsRecordedLeavesTheOutcomeUnknown() throws Exception {
        jdbc.execute("create or replace function refuse() returns trigger language plpgsql as $$ begin"
                + " raise 'no room for a failure' using errcode = '53100'; end $$");
        jdbc.execute("create trigger refuse before update on idempotency.idempotency_request for each row"
                + " when (new.status = 'failed_retryable') execute function refuse()");
        Shop shop = application.bean(Shop.class);
        shop.beforeEffectDo(this::holdTheFirst);
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> shop.sellUnderALease("key"))
                .withMessageContaining("Repeat this call with the same key");

        proxy.deliver();

        assertThat(application.effects()).isEqualTo(1);
        assertThat(shop.sellUnderALease("key")).isEqualTo("sold in execution 1");
    }

    /** The repeat has begun, and finds when it completes that it is too late. */
    @Test
    void aCompletionOfALeaseThatArrivesDuringTheRepeatIsTheAnswer() throws Exception {
        Shop shop = application.bean(Shop.class);
        shop.beforeEffectDo(execution -> {
            holdTheFirst(execution);
            if (execution == 2) {
                deliver();
            }
        });

        assertThat(shop.sellRepeatably("key")).isEqualTo("sold in execution 1");

        assertThat(application.effects()).isEqualTo(1);
        assertThat(shop.sellRepeatably("key")).isEqualTo("sold in execution 1");
    }

    /** Its effect makes the one of the repeat fail. */
    @Test
    void aCompletionOfALeaseThatMakesTheRepeatFailIsTheAnswer() {
        Shop shop = application.bean(Shop.class);
        shop.beforeEffectDo(execution -> {
            holdTheFirst(execution);
            if (execution == 2) {
                deliver();
                throw new DuplicateKeyException("the row of the first execution exists");
            }
        });

        assertThat(shop.sellRepeatably("key")).isEqualTo("sold in execution 1");

        assertThat(application.effects()).isEqualTo(1);
        assertThat(row()).containsEntry("status", "succeeded").containsEntry("attempt_count", 1);
    }

    @Test
    void ofTwoCompletionsOfALeaseTheAnswerIsTheOneThatIsStored() {
        Shop shop = application.bean(Shop.class);
        shop.beforeEffectDo(execution -> {
            holdTheFirst(execution);
            if (execution == 2) {
                deliver();
                proxy.cutNext("COMMIT", CuttingProxy.Point.BEFORE_IT_IS_SENT);
            }
        });

        assertThat(shop.sellRepeatably("key")).isEqualTo("sold in execution 1");

        assertThat(proxy.cuts()).isEqualTo(2);
        assertThat(application.effects()).isEqualTo(1);
    }

    private void holdTheFirst(int execution) {
        if (execution == 1) {
            proxy.holdNext("COMMIT");
        }
    }

    private void deliver() {
        try {
            proxy.deliver();
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The interruption closes the socket when the message is sent, and the server may be about to begin with it. */
    @ParameterizedTest
    @EnumSource(names = {"OPTIMISTIC_WITHOUT_A_STATEMENT", "WRITE"})
    @EnabledForJreRange(min = JRE.JAVA_21)
    void anInterruptionOnAVirtualThreadLeavesNothingOfACallThatFails(Call call) {
        int rounds = TestSize.pick(20, 500);
        int answered = 0;
        try (Callers callers = Callers.onVirtualThreads()) {
            for (int round = 0; round < rounds; round++) {
                // One that this instance has seen would be asked for first.
                String key = "key-" + round;
                boolean isAnswered =
                        callers.start(() -> isAnsweredIfInterrupted(call, key)).answer();
                answered += isAnswered ? 1 : 0;

                jdbc.execute("begin; lock table account, idempotency.idempotency_request; commit");

                assertThat(application.request(key))
                        .containsEntry("status", isAnswered ? "succeeded" : "failed_retryable");
                assertThat(application.effects()).isEqualTo(answered * call.effects());
            }
        }
    }

    private boolean isAnsweredIfInterrupted(Call call, String key) {
        withoutRetries.bean(Interrupting.class).isArmed.set(true);
        try {
            call.in(withoutRetries, key);
            return true;
        } catch (OutcomeUnknownException unknown) {
            throw new AssertionError("The database can be asked", unknown);
        } catch (RuntimeException failed) {
            return false;
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private Map<String, Object> row() {
        return application.request("key");
    }

    record Sold(String name) {}

    static class SoldOut extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    /** Interrupts the thread when it has got a connection. */
    static class Interrupting implements BeanPostProcessor {

        private final AtomicBoolean isArmed = new AtomicBoolean();

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource dataSource
                    ? new DelegatingDataSource(dataSource) {
                        @Override
                        public Connection getConnection() throws SQLException {
                            Connection connection = super.getConnection();
                            if (isArmed.getAndSet(false)) {
                                Thread.currentThread().interrupt();
                            }
                            return connection;
                        }
                    }
                    : bean;
        }
    }

    static class Shop extends PayingBean {

        private final AtomicInteger executions = new AtomicInteger();

        private volatile IntConsumer beforeEffect = execution -> {};

        /** Does this before the effect of each execution, whose number it gets. */
        void beforeEffectDo(IntConsumer action) {
            executions.set(0);
            beforeEffect = action;
        }

        @Transactional
        @Idempotent(scope = "shop", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String sell(String key) {
            String answer = answer();
            makeEffect();
            return answer;
        }

        @Transactional
        @Idempotent(scope = "shop-answers", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String answer(String key) {
            return answer();
        }

        @Transactional
        @Idempotent(scope = "shop-leased", key = "#key", mode = IdempotencyMode.LEASED)
        public String sellUnderALease(String key) {
            String answer = answer();
            makeEffect();
            return answer;
        }

        @Transactional
        @Idempotent(scope = "shop-leased-repeatably", key = "#key", mode = IdempotencyMode.LEASED, retryLeased = true)
        public String sellRepeatably(String key) {
            String answer = answer();
            makeEffect();
            return answer;
        }

        private String answer() {
            int execution = executions.incrementAndGet();
            beforeEffect.accept(execution);
            return "sold in execution " + execution;
        }
    }
}
