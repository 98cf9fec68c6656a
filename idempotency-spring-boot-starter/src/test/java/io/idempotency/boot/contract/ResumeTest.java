package io.idempotency.boot.contract;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import org.aopalliance.intercept.MethodInterceptor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.ArgumentNotStorableException;
import io.idempotency.CallerResolver;
import io.idempotency.DatabaseResolver;
import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.Intent;
import io.idempotency.KeyReusedException;
import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.internal.execution.IdempotentCallExecutor;
import io.idempotency.internal.resume.CallResumer;
import io.idempotency.observation.CallResumed;
import io.idempotency.observation.CallResumed.Result;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Leased calls whose callers have gone: an instance finishes them. */
@ContractTest
@Tag("citus")
class ResumeTest {

    private static final Reason REASON = new Reason("ada", "the provider was asked");

    private static final int MAX_ATTEMPTS = 3;

    private final ContractApplication application;

    private final Trips trips;

    private final CallResumer resumer;

    private final IdempotencyAdministration administration;

    private final Resumed resumed;

    private String key = "";

    ResumeTest(ContractApplications applications) {
        application = applications.start(
                List.of(Trips.class, Seats.class, Callers.class, Resumed.class, BeforeClaim.class, Interceptors.class),
                "idempotency.resume.interval=1d",
                "idempotency.wait-timeout=30s",
                "idempotency.resume.max-attempts=" + MAX_ATTEMPTS);
        trips = application.bean(Trips.class);
        resumer = application.bean(CallResumer.class);
        administration = application.bean(IdempotencyAdministration.class);
        resumed = application.bean(Resumed.class);
    }

    @BeforeEach
    void newKey() {
        key = "trip-" + UUID.randomUUID();
        resumed.events.clear();
        Trips.METHOD.set(Trips::reserve);
    }

    record Leg(String from, String to, BigDecimal price) {

        static final AtomicReference<Runnable> WHEN_READ = new AtomicReference<>(() -> {});

        @JsonCreator
        static Leg read(String from, String to, BigDecimal price) {
            WHEN_READ.getAndSet(() -> {}).run();
            return new Leg(from, to, price);
        }
    }

    @FunctionalInterface
    interface Method {

        String book(Trips trips, String key, List<Leg> legs, @Nullable UUID voucher);
    }

    static class Refused extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Refused() {
            super("no seats");
        }
    }

    static class Trips {

        static final AtomicReference<Method> METHOD = new AtomicReference<>();

        static final Queue<String> RUNS = new ConcurrentLinkedQueue<>();

        private final Seats seats;

        Trips(Seats seats) {
            this.seats = seats;
        }

        @Idempotent(
                scope = "resumed-trips",
                key = "#key",
                mode = IdempotencyMode.LEASED,
                resume = true,
                finalFailures = Refused.class)
        public String book(String key, List<Leg> legs, @Nullable UUID voucher) {
            RUNS.add(key);
            return METHOD.get().book(this, key, legs, voucher);
        }

        @Retryable(maxRetries = 1, delay = 1)
        @Idempotent(scope = "resumed-retried-trips", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public String bookWithRetry(String key) {
            RUNS.add(key);
            return METHOD.get().book(this, key, List.of(), null);
        }

        @Idempotent(
                scope = "resumed-objects",
                key = "#key",
                fingerprint = "#tour.name",
                mode = IdempotencyMode.LEASED,
                resume = true)
        public void take(String key, Tour tour) {}

        String reserve(String key, List<Leg> legs, @Nullable UUID voucher) {
            String reservation = IdempotencyContext.current()
                    .step(
                            "reserve",
                            String.class,
                            () -> "R" + RUNS.stream().filter(key::equals).count());
            return reservation + " " + legs + " " + voucher + " " + seats.take("seat-" + key) + " "
                    + IdempotencyContext.current().attempt();
        }
    }

    static class Tour {

        public String name = "";

        @JsonIgnore
        public String guide = "";
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Interceptors {

        static final AtomicBoolean ANSWERS = new AtomicBoolean();

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor answeringAdvisor() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedName("book");
            MethodInterceptor interceptor = invocation -> ANSWERS.getAndSet(false) ? "answered" : invocation.proceed();
            return new DefaultPointcutAdvisor(pointcut, interceptor);
        }
    }

    /** Between the search for a call and its claim. */
    static class BeforeClaim implements DatabaseResolver {

        static final AtomicReference<Runnable> HOOK = new AtomicReference<>(() -> {});

        @Override
        public Object resolveDatabase() {
            HOOK.getAndSet(() -> {}).run();
            return "database";
        }
    }

    /** Another idempotent method, whose key belongs to the same caller. */
    static class Seats {

        @Transactional
        @Idempotent(scope = "seats", key = "#key")
        public String take(String key) {
            return "seat of " + IdempotencyContext.current().intent().caller();
        }
    }

    static class Callers implements CallerResolver {

        static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "nobody");

        @Override
        public String resolveCaller() {
            return CURRENT.get();
        }
    }

    static class Resumed implements IdempotencyListener {

        final List<CallResumed> events = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void callResumed(CallResumed event) {
            events.add(event);
        }
    }

    private static final List<Leg> LEGS = List.of(new Leg("Rome", "Oslo", new BigDecimal("99.90")));

    private @Nullable String book() {
        return bookLegs(LEGS);
    }

    private @Nullable String bookLegs(List<Leg> legs) {
        Callers.CURRENT.set("ada");
        try {
            return trips.book(key, legs, null);
        } finally {
            Callers.CURRENT.remove();
        }
    }

    private Intent intent() {
        return new Intent("resumed-trips", "ada", new IdempotencyKey(key));
    }

    /** Makes an attempt, and leaves its row as a process does that ends in it. */
    private void bookAndVanish() {
        bookAndVanish(LEGS);
    }

    private void bookAndVanish(List<Leg> legsOfCall) {
        Method method = Trips.METHOD.get();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            method.book(bean, key, legs, voucher);
            throw new IllegalStateException("vanished");
        });
        assertThatThrownBy(() -> bookLegs(legsOfCall)).hasMessage("vanished");
        Trips.METHOD.set(method);
        application.alterRequest(
                key,
                "status = 'processing', failure_code = null, failure_message = null,"
                        + " locked_until = statement_timestamp() - interval '1 second'");
    }

    private void resume() {
        resumer.resumeAll();
    }

    private void makeDue() {
        application.alterRequest(key, "resume_at = statement_timestamp() - interval '1 hour'");
    }

    private List<Result> results() {
        return resumed.events.stream().map(CallResumed::result).toList();
    }

    @Test
    void aCallWhoseProcessHasEndedIsFinishedWithItsArgumentsItsCallerAndItsSteps() {
        bookAndVanish();

        resume();

        String answer = "R1 [Leg[from=Rome, to=Oslo, price=99.90]] null seat of ada 2";
        assertThat(book()).isEqualTo(answer);
        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(2);
        assertThat(resumed.events).containsExactly(new CallResumed(intent(), 2, Result.SUCCEEDED, null));
        assertThat(application.request(key)).containsEntry("arguments", null).containsEntry("resume_at", null);
        assertThat(application
                        .database()
                        .jdbc()
                        .queryForList(
                                "select caller from idempotency.idempotency_request where idempotency_scope = 'seats'"
                                        + " and idempotency_key = ?",
                                String.class,
                                "seat-" + key))
                .containsExactly("ada");
    }

    @Test
    void theCallerOfAResumedCallIsForgottenAfterIt() {
        bookAndVanish();
        resume();

        assertThat(application.bean(Seats.class).take("seat-" + key)).isEqualTo("seat of nobody");
    }

    @Test
    void aFailureThatTheCallerHasGotIsNotResumed() {
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            throw new IllegalStateException("provider down");
        });
        assertThatThrownBy(this::book).hasMessage("provider down");

        resume();

        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(1);
        assertThat(application.request(key)).containsEntry("resume_at", null);
    }

    @Test
    void aRunningCallIsNotResumed() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch searched = new CountDownLatch(1);
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            running.countDown();
            await(searched);
            return "done";
        });
        ConcurrentCalls<@Nullable String> call = ConcurrentCalls.start(1, this::book);
        await(running);

        resume();

        searched.countDown();
        assertThat(call.await().requireAllSucceeded()).containsExactly("done");
        assertThat(resumed.events).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void anAttemptThatFailsIsRepeatedLaterAndTheLastOneIsTheFinalFailure() {
        bookAndVanish();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            throw new IllegalStateException("provider down");
        });

        resume();
        resume();

        assertThat(results()).as("not before the pause is over").containsExactly(Result.POSTPONED);
        assertThat(application.request(key))
                .containsEntry("status", "failed_retryable")
                .containsEntry("failure_message", "provider down");
        assertThat(application
                        .database()
                        .jdbc()
                        .queryForObject(
                                "select resume_at - updated_at between interval '119 seconds' and interval '121 seconds'"
                                        + " from idempotency.idempotency_request where idempotency_key = ?",
                                Boolean.class,
                                key))
                .as("twice the lease after the second attempt")
                .isTrue();
        makeDue();

        resume();

        assertThat(results()).containsExactly(Result.POSTPONED, Result.ABANDONED);
        assertThatExceptionOfType(RecordedFailureException.class)
                .isThrownBy(this::book)
                .satisfies(failure -> assertThat(failure.code()).isEqualTo("abandoned"))
                .withMessageContaining("given up after 3 attempts: java.lang.IllegalStateException: provider down");
        makeDue();
        resume();
        assertThat(results()).hasSize(2);
    }

    @Test
    void aCallerThatComesBackDoesNotWaitForThePause() {
        bookAndVanish();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            throw new IllegalStateException("provider down");
        });
        resume();
        Trips.METHOD.set(Trips::reserve);

        assertThat(book()).startsWith("R1 ").endsWith(" 3");
        makeDue();
        resume();
        assertThat(results()).containsExactly(Result.POSTPONED);
    }

    @Test
    void aFinalFailureEndsTheCall() {
        bookAndVanish();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            throw new Refused();
        });

        resume();

        assertThat(results()).containsExactly(Result.FAILED);
        assertThatExceptionOfType(RecordedFailureException.class)
                .isThrownBy(this::book)
                .withMessageContaining("no seats");
    }

    @Test
    void aCallThatEndsItsProcessInEachAttemptIsNotRunAgain() {
        bookAndVanish();
        application.alterRequest(key, "attempt_count = " + MAX_ATTEMPTS);

        try (LogLines log = LogLines.of("io.idempotency.calls")) {
            resume();
            assertThat(log.all())
                    .filteredOn(line -> line.getLevel() == Level.ERROR)
                    .singleElement()
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .asString()
                    .endsWith("find out what it has done, then let it be tried again");
        }

        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(1);
        assertThat(results()).containsExactly(Result.ABANDONED);
        assertThatExceptionOfType(RecordedFailureException.class)
                .isThrownBy(this::book)
                .withMessageContaining("its process ended");
    }

    @ParameterizedTest
    @ValueSource(strings = {"'\"key\"', '{}', 'null'", "'\"key\"', '[]'"})
    void argumentsThatTheCodeDoesNotReadAnyMoreCountAsAnAttempt(String arguments) {
        bookAndVanish();
        application.alterRequest(key, "arguments = array[" + arguments + "]");

        resume();

        assertThat(results()).containsExactly(Result.POSTPONED);
        assertThat(resumed.events.get(0).failure()).hasMessageContaining(key.substring(0, 5));
        assertThat(application.request(key)).containsEntry("attempt_count", 2);
        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(1);
    }

    @Test
    void anOperatorLetsAnAbandonedCallBeResumedFromAStep() {
        bookAndVanish();
        application.alterRequest(key, "attempt_count = " + MAX_ATTEMPTS);
        resume();

        administration.retryFrom(intent(), "reserve", REASON);
        resume();

        assertThat(results()).containsExactly(Result.ABANDONED, Result.SUCCEEDED);
        assertThat(book()).as("the step ran again").startsWith("R2 ");
    }

    @Test
    void anOperatorLetsACallBeResumedBeforeItsTime() {
        bookAndVanish();

        administration.releaseStale(intent(), REASON);
        resume();

        assertThat(results()).containsExactly(Result.SUCCEEDED);
    }

    @Test
    void aCallThatAnOperatorHasCompletedIsNotResumed() {
        bookAndVanish();

        administration.completeStale(intent(), "\"by hand\"", REASON);
        resume();

        assertThat(resumed.events).isEmpty();
        assertThat(application.request(key)).containsEntry("arguments", null);
        assertThat(book()).isEqualTo("by hand");
    }

    @Test
    void aHolderThatGoesOnAfterItsLeaseCanNeitherRecordAStepNorComplete() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch resumedAlready = new CountDownLatch(1);
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            if (IdempotencyContext.current().attempt() == 1) {
                running.countDown();
                await(resumedAlready);
            }
            return bean.reserve(key, legs, voucher);
        });
        ConcurrentCalls<@Nullable String> holder = ConcurrentCalls.start(1, this::book);
        await(running);
        application.expireLease(key);

        resume();

        resumedAlready.countDown();
        assertThat(holder.await().failures()).singleElement().isInstanceOf(LeaseLostException.class);
        assertThat(results()).containsExactly(Result.SUCCEEDED);
        assertThat(book()).endsWith(" 2");
    }

    @Test
    void aCallThatIsForgottenMeanwhileIsNotMade() {
        bookAndVanish();
        BeforeClaim.HOOK.set(() -> administration.forget(intent(), REASON));

        resume();

        assertThat(resumed.events).isEmpty();
        assertThat(administration.find(intent())).isEmpty();
    }

    @Test
    void aFailureThatTheCallerGetsMeanwhileIsNotResumed() {
        bookAndVanish();
        BeforeClaim.HOOK.set(() -> application.alterRequest(key, "status = 'failed_retryable', locked_until = null"));

        resume();

        assertThat(resumed.events).isEmpty();
        assertThat(application.request(key))
                .containsEntry("attempt_count", 1)
                .containsEntry("status", "failed_retryable");
    }

    @Test
    void anAttemptWhoseLeaseWasReclaimedBeforeItsMethodIsNoOtherAttempt() {
        bookAndVanish();
        Leg.WHEN_READ.set(() -> {
            application.expireLease(key);
            Trips.METHOD.set((bean, key, legs, voucher) -> {
                throw new IllegalStateException("provider down");
            });
            assertThat(ConcurrentCalls.run(1, this::book).failures())
                    .singleElement()
                    .asString()
                    .contains("provider down");
            Trips.METHOD.set(Trips::reserve);
        });

        resume();

        assertThat(results()).containsExactly(Result.UNKNOWN);
        assertThat(application.request(key))
                .containsEntry("attempt_count", 3)
                .containsEntry("status", "failed_retryable")
                .containsEntry("resume_at", null);
    }

    @Test
    void aCallThatCannotBeClaimedKeepsNoOtherFromBeingResumed() {
        bookAndVanish();
        newKey();
        bookAndVanish();
        BeforeClaim.HOOK.set(() -> {
            throw new IllegalStateException("no tenant");
        });

        resume();

        assertThat(results()).containsExactly(Result.SUCCEEDED, Result.SUCCEEDED);
    }

    @Test
    void anInterceptorThatRetriesMakesOneAttempt() {
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            throw new IllegalStateException("provider down");
        });
        assertThatThrownBy(() -> trips.bookWithRetry(key)).hasMessage("provider down");
        application.alterRequest(
                key,
                "status = 'processing', attempt_count = 1, locked_until = statement_timestamp() - interval '1 second'");
        Trips.RUNS.clear();

        resume();

        assertThat(Trips.RUNS).containsExactly(key);
        assertThat(results()).containsExactly(Result.POSTPONED);
        assertThat(resumed.events.get(0).failure()).hasMessage("provider down");
        assertThat(application.outcomes().all()).containsOnly(Outcome.FAILED);
        assertThat(application.request(key)).doesNotContainEntry("resume_at", null);
    }

    @Test
    void anAttemptThatAnInterceptorAnswersHasNotSucceeded() {
        bookAndVanish();
        Interceptors.ANSWERS.set(true);

        resume();

        assertThat(results()).containsExactly(Result.POSTPONED);
        assertThat(application.request(key).get("failure_message")).asString().contains("without calling it");
    }

    @Test
    void anotherPayloadIsRefusedAfterAResumedAttemptWithoutSteps() {
        Trips.METHOD.set((bean, key, legs, voucher) -> "done");
        bookAndVanish();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            throw new IllegalStateException("provider down");
        });
        resume();

        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> bookLegs(List.of()));
        assertThat(results()).containsExactly(Result.POSTPONED);
    }

    @Test
    void aCallerThatComesBackInTheMeantimeGetsTheAnswerOfTheResumedCall() {
        bookAndVanish();
        AtomicReference<ConcurrentCalls<@Nullable String>> repeat = new AtomicReference<>();
        Leg.WHEN_READ.set(() -> {
            repeat.set(ConcurrentCalls.start(1, this::book));
            Awaitility.await().until(ResumeTest::aCallWaitsForTheLease);
        });

        resume();

        assertThat(results()).containsExactly(Result.SUCCEEDED);
        assertThat(repeat.get().await().requireAllSucceeded().get(0)).endsWith(" 2");
    }

    private static boolean aCallWaitsForTheLease() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("concurrent-call"))
                .flatMap(thread -> Stream.of(thread.getValue()))
                .anyMatch(frame -> frame.getClassName().equals(IdempotentCallExecutor.class.getName())
                        && frame.getMethodName().equals("pause"));
    }

    @Test
    void theLastPayloadIsTheOneThatIsResumed() {
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            throw new IllegalStateException("provider down");
        });
        assertThatThrownBy(this::book).hasMessage("provider down");
        Trips.METHOD.set(Trips::reserve);
        bookAndVanish(List.of());

        resume();

        assertThat(results()).containsExactly(Result.SUCCEEDED);
        assertThat(bookLegs(List.of())).contains(" [] ");
    }

    @Test
    void manyThreadsResumeEachCallOnce() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            newKey();
            bookAndVanish();
            keys.add(key);
        }
        Trips.RUNS.clear();

        ConcurrentCalls.run(8, thread -> {
                    resume();
                    return thread;
                })
                .requireAllSucceeded();

        assertThat(Trips.RUNS).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(results()).hasSize(30).containsOnly(Result.SUCCEEDED);
    }

    @Test
    void aStoppedResumerStartsNoFurtherCall() {
        bookAndVanish();
        resumer.stop();
        try {
            resume();
            assertThat(resumed.events).isEmpty();
        } finally {
            resumer.restart();
        }
        resume();
        assertThat(results()).containsExactly(Result.SUCCEEDED);
    }

    @Test
    void anotherPayloadIsRefusedWhileTheCallWaitsToBeResumed() {
        bookAndVanish();
        Callers.CURRENT.set("ada");
        ThrowingCallable other = () -> trips.book(key, List.of(), null);

        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(other);
    }

    @Test
    void anArgumentThatWouldNotBeReadBackAsItIsFailsTheCallBeforeItsClaim() {
        Tour tour = new Tour();
        tour.guide = "ada";

        assertThatExceptionOfType(ArgumentNotStorableException.class)
                .isThrownBy(() -> trips.take(key, tour))
                .withMessageContaining("The argument 'tour' of the")
                .withMessageContaining("guide");
        assertThat(application.requests()).isZero();
    }

    @Test
    void storedArgumentsAreJson() {
        bookAndVanish();

        Map<String, Object> row = application.request(key);
        assertThat(row.get("arguments"))
                .asString()
                .contains("\\\"from\\\":\\\"Rome\\\"")
                .endsWith(",\"null\"}");
    }
}
