package io.idempotency.boot.contract;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.aopalliance.intercept.MethodInterceptor;
import org.assertj.core.api.InstanceOfAssertFactories;
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
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.ArgumentNotStorableException;
import io.idempotency.CallerResolver;
import io.idempotency.ClaimAbandonedException;
import io.idempotency.DatabaseResolver;
import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Idempotent;
import io.idempotency.Intent;
import io.idempotency.KeyReusedException;
import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.internal.call.IdempotentCallExecutor;
import io.idempotency.internal.resume.CallResumer;
import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Leased calls whose callers have gone: an instance finishes them. */
@ContractTest
@Tag("citus")
class ResumeTest {

    private static final Reason REASON = new Reason("ada", "the provider was asked");

    private static final int MAX_ATTEMPTS = 3;

    private static final String OF_RESUMPTION = "topic = 'idempotency.resume' and idempotency_key = ?";

    private final ContractApplication application;

    private final ContractApplication otherInstance;

    private final Trips trips;

    private final CallResumer resumer;

    private final IdempotencyAdministration administration;

    private final MessagingAdministration messages;

    private final JdbcTemplate jdbc;

    private final Resumed resumed;

    private final AtomicBoolean goesOn = new AtomicBoolean(true);

    private String key = "";

    ResumeTest(ContractApplications applications) {
        application = start(applications);
        otherInstance = start(applications);
        trips = application.bean(Trips.class);
        resumer = application.bean(CallResumer.class);
        administration = application.bean(IdempotencyAdministration.class);
        messages = application.bean(MessagingAdministration.class);
        resumed = application.bean(Resumed.class);
        jdbc = applications.database().jdbc();
    }

    private static ContractApplication start(ContractApplications applications) {
        return applications.start(
                List.of(
                        Trips.class,
                        Seats.class,
                        Callers.class,
                        Resumed.class,
                        BeforeClaim.class,
                        Interceptors.class,
                        Lazies.class),
                "idempotency.outbox.poll-interval=1d",
                "idempotency.outbox.backoff.delay=2m",
                "idempotency.wait-timeout=30s",
                "idempotency.outbox.max-attempts=" + MAX_ATTEMPTS);
    }

    @BeforeEach
    void newKey() {
        key = "trip-" + UUID.randomUUID();
        resumed.events.clear();
        Trips.METHOD.set(Trips::reserve);
    }

    record Leg(String from, String to, BigDecimal price) {}

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
                fingerprint = "{#legs, #voucher}",
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

        String fail(String key, List<Leg> legs, @Nullable UUID voucher) {
            throw new IllegalStateException("provider down");
        }

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

        static final AtomicBoolean SWALLOWS = new AtomicBoolean();

        static final AtomicReference<Runnable> BEFORE = new AtomicReference<>(() -> {});

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor answeringAdvisor() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedName("book");
            MethodInterceptor interceptor = invocation -> {
                BEFORE.getAndSet(() -> {}).run();
                if (ANSWERS.getAndSet(false)) {
                    return "answered";
                }
                boolean swallows = SWALLOWS.getAndSet(false);
                try {
                    return invocation.proceed();
                } catch (LeaseLostException lost) {
                    if (swallows) {
                        return "swallowed";
                    }
                    throw lost;
                }
            };
            return new DefaultPointcutAdvisor(pointcut, interceptor);
        }
    }

    /** Between the search for a call and its claim, and between that and the method. */
    static class BeforeClaim implements DatabaseResolver {

        static final AtomicReference<Runnable> HOOK = new AtomicReference<>(() -> {});

        static void afterClaim(Runnable hook) {
            HOOK.set(() -> HOOK.set(hook));
        }

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

    enum Result {
        SENT,
        FAILED,
        DEAD
    }

    record Attempt(
            UUID message,
            String type,
            int number,
            Result result,
            @Nullable Throwable failure) {}

    static class Resumed implements MessagingListener {

        final List<Attempt> events = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void messageSent(MessageSent event) {
            assertThat(event.topic()).isEqualTo("idempotency.resume");
            assertThat(event.latency()).isGreaterThanOrEqualTo(Duration.ZERO);
            events.add(new Attempt(event.messageId(), event.type(), event.attempt(), Result.SENT, null));
        }

        @Override
        public void messageSendFailed(MessageSendFailed event) {
            Result result = event.dead() ? Result.DEAD : Result.FAILED;
            events.add(new Attempt(event.messageId(), event.type(), event.attempt(), result, event.failure()));
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
        makeDue();
    }

    private void resumeAtOtherInstance() {
        otherInstance.bean(CallResumer.class).resumeAll(goesOn::get, Runnable::run);
    }

    private void resume() {
        resumer.resumeAll(goesOn::get, Runnable::run);
    }

    private void makeDue() {
        alterMessage("status = 'pending', sent_at = null, expires_at = null,"
                + " due_at = statement_timestamp() - interval '1 hour',"
                + " next_attempt_at = statement_timestamp()");
    }

    private void alterMessage(String changes) {
        assertThat(jdbc.update("update idempotency.outbox_event set " + changes + " where " + OF_RESUMPTION, key))
                .isEqualTo(1);
    }

    private List<Map<String, Object>> messages() {
        return jdbc.queryForList("select * from idempotency.outbox_event where " + OF_RESUMPTION, key);
    }

    private List<Result> results() {
        return resumed.events.stream().map(Attempt::result).toList();
    }

    @Test
    void aCallWhoseProcessHasEndedIsFinishedWithItsArgumentsItsCallerAndItsSteps() {
        bookAndVanish();
        Map<String, Object> recorded = messages().get(0);
        assertThat(recorded.get("payload"))
                .asString()
                .contains("\"from\":\"Rome\"")
                .contains("\"voucher\" : null");

        resume();

        String answer = "R1 [Leg[from=Rome, to=Oslo, price=99.90]] null seat of ada 2";
        assertThat(book()).isEqualTo(answer);
        assertThat(application.bean(Seats.class).take("seat-" + key))
                .as("the caller is forgotten after its call")
                .isEqualTo("seat of nobody");
        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(2);
        assertThat(resumed.events)
                .containsExactly(new Attempt((UUID) recorded.get("message_id"), "resumed-trips", 1, Result.SENT, null));
        assertThat(messages()).isEmpty();
        assertThat(jdbc.queryForList(
                        "select caller from idempotency.idempotency_request where idempotency_key = ?",
                        String.class,
                        "seat-" + key))
                .containsExactlyInAnyOrder("ada", "nobody");
    }

    interface Rentals {

        String rent(String key);
    }

    static class CarRentals implements Rentals {

        @Override
        @Idempotent(scope = "rentals", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public String rent(String key) {
            if (IdempotencyContext.current().attempt() == 1) {
                throw new IllegalStateException("vanished");
            }
            return "rented";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Lazies {

        @Bean
        @Lazy
        Rentals rentals() {
            return new CarRentals();
        }

        @Bean
        @Primary
        CarFerries ferries() {
            return new CarFerries();
        }

        @Bean
        @Lazy
        Ferries lazyFerries() {
            return new CarFerries();
        }
    }

    interface Ferries {}

    static class CarFerries implements Ferries {

        @Idempotent(scope = "ferries", shared = true, key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public String cross(String key) {
            if (IdempotencyContext.current().attempt() == 1) {
                throw new IllegalStateException("vanished");
            }
            return "crossed";
        }
    }

    @Test
    void aCallOfALazyBeanThatIsDeclaredByItsInterfaceIsResumed() {
        assertThatThrownBy(() -> application.bean(Rentals.class).rent(key)).hasMessage("vanished");
        application.alterRequest(
                key, "status = 'processing', locked_until = statement_timestamp() - interval '1 second'");
        makeDue();

        resumeAtOtherInstance();

        assertThat(application.bean(Rentals.class).rent(key)).isEqualTo("rented");
        assertThat(application.request(key)).containsEntry("attempt_count", 2);
    }

    @Test
    void noCallIsResumedOfAScopeThatALazyBeanHasToo() {
        assertThatThrownBy(() -> application.bean(CarFerries.class).cross(key)).hasMessage("vanished");
        application.alterRequest(
                key, "status = 'processing', locked_until = statement_timestamp() - interval '1 second'");
        makeDue();
        String ofFerry = key;
        newKey();
        bookAndVanish();
        alterMessage("idempotency_scope = 'only-of-a-lazy-bean'");

        try (LogLines log = LogLines.of("io.idempotency.internal.resume.ResumableMethods")) {
            resume();
            resume();
            assertThat(log.texts())
                    .singleElement()
                    .asString()
                    .contains("'lazyFerries'", "'ferries' and 'lazyFerries' both have", "not tried again");
        }

        assertThat(resumed.events).isEmpty();
        assertThat(application.request(ofFerry)).containsEntry("attempt_count", 1);
    }

    /** As docs/sql.md warns. */
    @Test
    void aRowThatAWorkerHasWrittenIsResumedAsItsCaller() {
        bookAndVanish();
        jdbc.update(
                "insert into idempotency.idempotency_request select (jsonb_populate_record(r, jsonb_build_object("
                        + "'caller', 'bob', 'request_id',"
                        + " idempotency.idempotency_request_id(idempotency_scope, idempotency_key, 'bob')))).*"
                        + " from idempotency.idempotency_request r where idempotency_key = ?",
                key);
        jdbc.update(
                "insert into idempotency.outbox_event (message_id, topic, message_type, lane, aggregate_id, payload, headers,"
                        + " deduplication_key, idempotency_scope, caller, idempotency_key, status, attempt_count, created_at,"
                        + " due_at, next_attempt_at) select gen_random_uuid(), topic, message_type, lane, aggregate_id,"
                        + " payload, headers, idempotency.idempotency_request_id(idempotency_scope, idempotency_key, 'bob'),"
                        + " idempotency_scope, 'bob', idempotency_key, status, attempt_count, created_at, due_at,"
                        + " next_attempt_at from idempotency.outbox_event where " + OF_RESUMPTION,
                key);

        resume();

        assertThat(results()).containsExactly(Result.SENT, Result.SENT);
        assertThat(jdbc.queryForList(
                        "select caller from idempotency.idempotency_request where idempotency_key = ? and attempt_count = 2",
                        String.class,
                        key))
                .containsExactlyInAnyOrder("ada", "bob");
    }

    @Test
    void aFailureThatTheCallerHasGotIsNotResumed() {
        Trips.METHOD.set(Trips::fail);
        assertThatThrownBy(this::book).hasMessage("provider down");

        resume();

        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(1);
        assertThat(messages())
                .singleElement()
                .satisfies(message -> assertThat(message)
                        .containsEntry("status", "sent")
                        .extractingByKey("expires_at", InstanceOfAssertFactories.DATE)
                        .isAfter(Instant.now().plus(Duration.ofDays(6))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRunningCallIsNotResumedBesideItself(boolean outlivesItsLease) throws Exception {
        Gate gate = new Gate();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            gate.holdTheFirst();
            return "done";
        });
        ConcurrentCalls<@Nullable String> call = ConcurrentCalls.start(1, this::book);
        gate.awaitHeld();
        if (outlivesItsLease) {
            application.expireLease(key);
        }
        makeDue();

        resume();

        gate.open();
        assertThat(call.await().requireAllSucceeded()).containsExactly("done");
        assertThat(resumed.events).isEmpty();
        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aResumedCallThatHangsIsNotResumedBesideItselfAndKeepsNoOtherFromIt(boolean hasReachedKey) throws Exception {
        Gate gate = new Gate();
        bookAndVanish();
        if (hasReachedKey) {
            Trips.METHOD.set(behind(gate));
        } else {
            Interceptors.BEFORE.set(gate::holdTheFirst);
        }
        ConcurrentCalls<String> first = ConcurrentCalls.start(1, () -> {
            resume();
            return "resumed";
        });
        gate.awaitHeld();
        application.expireLease(key);
        makeDue();
        newKey();
        bookAndVanish();

        resume();

        assertThat(results()).containsExactly(Result.SENT);
        assertThat(application.request(key)).containsEntry("status", "succeeded");
        gate.open();
        first.await().requireAllSucceeded();
        assertThat(results()).containsExactly(Result.SENT, Result.SENT);
    }

    @Test
    void aCallThatHangsIsNotResumedBesideItselfAfterALaterAttemptHasEnded() throws Exception {
        Gate gate = new Gate();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            if (key.startsWith("outer")) {
                return String.valueOf(book());
            }
            if (gate.holdTheFirst()) {
                return "late";
            }
            throw new IllegalStateException("provider down");
        });
        ConcurrentCalls<@Nullable String> first = ConcurrentCalls.start(1, this::book);
        gate.awaitHeld();
        application.expireLease(key);
        // A call that its thread makes within another one does not wait for those of its process.
        assertThatThrownBy(() -> trips.book("outer-" + key, LEGS, null)).hasMessage("provider down");
        application.alterRequest(
                key, "status = 'processing', locked_until = statement_timestamp() - interval '1 second'");
        makeDue();

        resume();

        assertThat(application.request(key)).containsEntry("attempt_count", 2);
        gate.open();
        assertThat(first.await().failures()).singleElement().isInstanceOf(LeaseLostException.class);
        resume();
        assertThat(results()).containsExactly(Result.FAILED);
        assertThat(application.request(key)).containsEntry("attempt_count", 3);
    }

    @Test
    void aCallWhoseThreadCannotBeStartedIsResumedLater() {
        bookAndVanish();
        OutOfMemoryError noThread = new OutOfMemoryError("unable to create native thread");

        assertThatThrownBy(() -> resumer.resumeAll(goesOn::get, call -> {
                    throw noThread;
                }))
                .isSameAs(noThread);

        assertThat(resumer.count(true)).isZero();
        application.expireLease(key);
        makeDue();
        resume();
        assertThat(results()).containsExactly(Result.SENT);
    }

    @Test
    @NotOnCitus
    void aCallIsResumedEvenIfTheServerIsSlow() {
        bookAndVanish();
        jdbc.execute("create or replace function be_slow() returns trigger language plpgsql as $$ begin"
                + " perform pg_sleep(0.3); return new; end $$");
        jdbc.execute("create trigger be_slow before update on idempotency.idempotency_request"
                + " for each row when (new.status = 'processing') execute function be_slow()");
        try {
            resume();
        } finally {
            jdbc.execute("drop trigger be_slow on idempotency.idempotency_request");
        }
        assertThat(results()).containsExactly(Result.SENT);
    }

    @Test
    @Tag("full")
    void aCallWhoseRowIsLockedIsPostponedWithAWord() throws SQLException {
        bookAndVanish();
        try (LogLines log = LogLines.of(CallResumer.class.getName());
                Connection lock = application.database().connection()) {
            lock.setAutoCommit(false);
            lockRow(lock);

            resume();

            assertThat(log.texts()).singleElement().asString().contains(key, "within PT5S", "holds its row");
            assertThat(jdbc.queryForObject(
                            "select next_attempt_at > statement_timestamp() and due_at < statement_timestamp()"
                                    + " from idempotency.outbox_event where " + OF_RESUMPTION,
                            Boolean.class,
                            key))
                    .isTrue();
            lock.rollback();
        }
        makeDue();
        resume();
        assertThat(results()).containsExactly(Result.SENT);
    }

    @Test
    void callsWhoseRowsAreLockedDoNotDelayAnotherCall() throws SQLException {
        try (LogLines log = LogLines.of(CallResumer.class.getName());
                Connection lock = application.database().connection()) {
            lock.setAutoCommit(false);
            for (int i = 0; i < 6; i++) {
                newKey();
                bookAndVanish();
                lockRow(lock);
            }
            newKey();
            bookAndVanish();
            Trips.METHOD.set((bean, called, legs, voucher) -> {
                try {
                    lock.rollback();
                } catch (SQLException failure) {
                    throw new IllegalStateException(failure);
                }
                return bean.reserve(called, legs, voucher);
            });

            resume();

            assertThat(log.texts()).isEmpty();
        }
        assertThat(results()).hasSize(7).containsOnly(Result.SENT);
    }

    /** Citus locks a row only by the column that distributes it. */
    private void lockRow(Connection lock) throws SQLException {
        Map<String, Object> row = jdbc.queryForMap(
                "select request_id, caller from idempotency.idempotency_request where idempotency_key = ?", key);
        try (PreparedStatement statement = lock.prepareStatement(
                "select from idempotency.idempotency_request where request_id = ? and caller = ? for update")) {
            statement.setObject(1, row.get("request_id"));
            statement.setObject(2, row.get("caller"));
            assertThat(statement.executeQuery().next()).isTrue();
        }
    }

    @Test
    void callsThatCannotBeResumedNowHideNoOtherCall() {
        for (int i = 0; i < 20; i++) {
            newKey();
            bookAndVanish();
            // Its row cannot be claimed.
            application.alterRequest(key, "idempotency_key = 'another " + i + "'");
            alterMessage("next_attempt_at = '2000-01-01'");
        }
        newKey();
        bookAndVanish();

        resume();

        assertThat(results()).containsExactly(Result.SENT);
    }

    @Test
    void anAttemptWhoseProcessEndsHasTheSamePauseAsOneThatFails() throws Exception {
        Gate gate = new Gate();
        bookAndVanish();
        Trips.METHOD.set(behind(gate));
        ConcurrentCalls<String> first = ConcurrentCalls.start(1, () -> {
            resume();
            return "resumed";
        });
        gate.awaitHeld();
        assertIsPause("next_attempt_at - locked_until");

        application.expireLease(key);
        resumeAtOtherInstance();
        assertThat(application.request(key)).containsEntry("attempt_count", 2);

        makeDue();
        resumeAtOtherInstance();
        assertThat(application.request(key)).containsEntry("attempt_count", 3);
        assertThat(messages()).isEmpty();
        gate.open();
        first.await().requireAllSucceeded();
        assertThat(results()).containsExactly(Result.FAILED);
        assertThat(book()).endsWith(" 3");
    }

    @Test
    void aCallThatAnInterceptorMakesBeforeIsNotTakenForTheResumedOne() {
        String before = "before-" + key;
        bookAndVanish();
        Interceptors.BEFORE.set(() -> {
            assertThat(trips.book(before, LEGS, null)).startsWith("R1 [Leg[from=Rome");
            assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> trips.book(key, List.of(), null));
        });

        resume();

        assertThat(results()).containsExactly(Result.SENT);
        assertThat(book()).startsWith("R1 [Leg[from=Rome");
        assertThat(application.request(before)).containsEntry("status", "succeeded");
    }

    private static Method behind(Gate gate) {
        return (bean, key, legs, voucher) -> {
            gate.holdTheFirst();
            return bean.reserve(key, legs, voucher);
        };
    }

    private void assertIsPause(String pause) {
        assertThat(jdbc.queryForObject(
                        "select extract(epoch from " + pause
                                + ")::int from idempotency.outbox_event join idempotency.idempotency_request"
                                + " using (idempotency_scope, caller, idempotency_key) where " + OF_RESUMPTION,
                        Integer.class,
                        key))
                .isBetween(119, 181);
    }

    @Test
    void anAttemptThatFailsIsRepeatedLaterAndAfterTheLastOneItsResultIsNotKnown() {
        bookAndVanish();
        // The pause is that of the first attempt without its caller, however many its callers have made.
        application.alterRequest(key, "attempt_count = 7");
        Trips.METHOD.set(Trips::fail);

        resume();
        resume();

        assertThat(results()).as("not before the pause is over").containsExactly(Result.FAILED);
        assertThat(application.request(key))
                .containsEntry("status", "failed_retryable")
                .containsEntry("failure_message", "provider down");
        assertIsPause("next_attempt_at - updated_at");
        for (int attempt = 2; attempt <= MAX_ATTEMPTS; attempt++) {
            makeDue();
            resume();
        }

        assertThat(results()).containsExactly(Result.FAILED, Result.FAILED, Result.DEAD);
        requireAbandoned(
                "given up after 3 attempts to finish it without its caller: java.lang.IllegalStateException: provider down");
        Trips.RUNS.clear();
        resume();
        assertThat(Trips.RUNS).isEmpty();
        assertThat(results()).hasSize(MAX_ATTEMPTS);
    }

    /** The effect may exist, so that nobody may be told to send a new key. */
    private void requireAbandoned(String reason) {
        application.outcomes().clear();
        assertThatExceptionOfType(ClaimAbandonedException.class)
                .isThrownBy(this::book)
                .withMessageContaining(reason)
                .withMessageContaining("do not repeat it with a new key");
        assertThat(application.outcomes().all()).containsExactly(Outcome.ABANDONED);
        assertThat(administration.findAbandoned(100))
                .extracting(IdempotencyRecord::intent)
                .contains(intent());
        assertThat(jdbc.queryForList(
                        "select kind from idempotency.idempotency_stale where idempotency_key = ?", String.class, key))
                .containsExactly("no_lease");
    }

    @Test
    void aCallerThatComesBackDoesNotWaitForThePause() {
        bookAndVanish();
        Trips.METHOD.set(Trips::fail);
        resume();
        Trips.METHOD.set(Trips::reserve);

        assertThat(book()).startsWith("R1 ").endsWith(" 3");
        assertThat(messages()).isEmpty();
        resume();
        assertThat(results()).containsExactly(Result.FAILED);
    }

    @Test
    void aFinalFailureEndsTheCall() {
        bookAndVanish();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            throw new Refused();
        });

        resume();

        assertThat(results()).containsExactly(Result.SENT);
        assertThatExceptionOfType(RecordedFailureException.class)
                .isThrownBy(this::book)
                .withMessageContaining("no seats");
    }

    @Test
    void aCallThatEndsItsProcessInEachAttemptIsNotRunAgain() {
        bookAndVanish();
        alterMessage("attempt_count = " + MAX_ATTEMPTS);

        try (LogLines log = LogLines.of("io.idempotency.outbox")) {
            resume();
            assertThat(log.texts())
                    .filteredOn(line -> line.startsWith("ERROR"))
                    .singleElement()
                    .asString()
                    .contains("was given up after attempt 3", "find that out first");
        }

        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(1);
        assertThat(results()).containsExactly(Result.DEAD);
        requireAbandoned("given up after 3 attempts to finish it without its caller: its process ended");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'key': 'k', 'legs': {}, 'voucher': null}",
                "{'key': 'k', 'key': 'k', 'voucher': null}",
                "{'key': 'k', 'legs': []}",
                "{'key': 'k', 'legs': [], 'key': 'k', 'voucher': null}",
                "{'key': 'k', 'legs': null, 'voucher': null}",
                "{}",
                "[1, 2, 3]",
                "null"
            })
    void argumentsThatTheCodeDoesNotReadAreNoAttempt(String arguments) {
        bookAndVanish();
        alterMessage("payload = '" + arguments.replace('\'', '"').replace("\"k\"", '"' + key + '"') + "'");

        resume();

        assertThat(results()).isEmpty();
        assertThat(application.request(key)).containsEntry("attempt_count", 1);
        assertThat(messages())
                .singleElement()
                .satisfies(message -> assertThat(message)
                        .containsEntry("status", "pending")
                        .containsEntry("attempt_count", 0)
                        .extractingByKey("next_attempt_at", InstanceOfAssertFactories.DATE)
                        .isAfter(Instant.now().plusSeconds(30)));
        assertThat(Trips.RUNS.stream().filter(key::equals)).hasSize(1);
    }

    @Test
    void anOperatorLetsAnAbandonedCallBeResumedFromAStep() {
        abandon();

        administration.retryFrom(intent(), "reserve", REASON);
        resume();

        assertThat(results()).containsExactly(Result.DEAD, Result.SENT);
        assertThat(book()).as("the step ran again").startsWith("R2 ");
    }

    private void abandon() {
        bookAndVanish();
        alterMessage("attempt_count = " + MAX_ATTEMPTS);
        resume();
        assertThat(results()).containsExactly(Result.DEAD);
    }

    @Test
    void aDeadMessageThatAnOperatorRequeuesIsResumed() {
        abandon();
        DeadMessage dead = messages.findDeadMessages(100).stream()
                .filter(message -> intent().equals(message.intent()))
                .findFirst()
                .orElseThrow();
        assertThat(dead.topic()).isEqualTo("idempotency.resume");
        assertThat(dead.lastError()).contains("given up after 3 attempts");

        messages.requeue(dead.messageId(), REASON);
        resume();

        assertThat(results()).containsExactly(Result.DEAD, Result.SENT);
        assertThat(book()).startsWith("R1 ");
    }

    @Test
    void anOperatorLetsAnAbandonedCallBeResumedWithAllItsAttempts() {
        abandon();
        Trips.METHOD.set(Trips::fail);

        administration.releaseStale(intent(), REASON);
        resume();

        assertThat(results()).containsExactly(Result.DEAD, Result.FAILED);
    }

    @Test
    void aThreadThatThePastAttemptHasLeftBehindCannotTakeAnAbandonedCallUpAgain() {
        bookAndVanish();
        alterMessage("attempt_count = " + (MAX_ATTEMPTS - 1));
        AtomicReference<IdempotencyContext> context = new AtomicReference<>();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            context.set(IdempotencyContext.current());
            throw new IllegalStateException("provider down");
        });
        resume();

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> context.get().extendLease(Duration.ofMinutes(1)));

        requireAbandoned("provider down");
    }

    @Test
    void theMessageOfALaterAttemptIsKeptByAnInstanceThatHasFoundTheOneBefore() {
        bookAndVanish();
        String one = key;
        newKey();
        bookAndVanish();
        String other = key;
        // Both are found together.
        Trips.METHOD.set((bean, resumedKey, legs, voucher) -> {
            Trips.METHOD.set(Trips::reserve);
            key = resumedKey.equals(one) ? other : one;
            bookAndVanish();
            return bean.reserve(resumedKey, legs, voucher);
        });

        resume();
        assertThat(results()).containsExactly(Result.SENT);
        assertThat(messages()).hasSize(1);

        resume();
        assertThat(results()).containsExactly(Result.SENT, Result.SENT);
    }

    @Test
    void anAttemptOfTheCallerBeginsTheCountAnew() {
        bookAndVanish();
        alterMessage("attempt_count = " + MAX_ATTEMPTS);
        bookAndVanish();

        resume();

        assertThat(results()).containsExactly(Result.SENT);
    }

    @Test
    void anOperatorLetsACallBeResumedBeforeItsTime() {
        bookAndVanish();

        administration.releaseStale(intent(), REASON);
        resume();

        assertThat(results()).containsExactly(Result.SENT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCallThatAnOperatorHasCompletedIsNotResumed(boolean isAbandoned) {
        if (isAbandoned) {
            abandon();
            resumed.events.clear();
        } else {
            bookAndVanish();
        }

        administration.completeStale(intent(), "\"by hand\"", REASON);
        resume();

        assertThat(resumed.events).isEmpty();
        assertThat(messages()).isEmpty();
        assertThat(book()).isEqualTo("by hand");
    }

    @Test
    void aCallThatIsForgottenMeanwhileIsNotMade() {
        bookAndVanish();
        BeforeClaim.HOOK.set(() -> administration.forget(intent(), REASON));

        resume();

        assertThat(resumed.events).isEmpty();
        assertThat(administration.find(intent())).isEmpty();
        assertThat(messages()).isEmpty();
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
        BeforeClaim.afterClaim(() -> {
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

        assertThat(results()).containsExactly(Result.FAILED);
        assertThat(application.request(key))
                .containsEntry("attempt_count", 3)
                .containsEntry("status", "failed_retryable");
        assertThat(messages()).extracting(message -> message.get("status")).containsExactly("sent");
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
        assertThat(results()).containsExactly(Result.SENT);

        resume();
        assertThat(results()).containsExactly(Result.SENT, Result.SENT);
    }

    @Test
    void anInterceptorThatRetriesMakesOneAttempt() {
        Trips.METHOD.set(Trips::fail);
        assertThatThrownBy(() -> trips.bookWithRetry(key)).hasMessage("provider down");
        application.alterRequest(
                key,
                "status = 'processing', attempt_count = 1, locked_until = statement_timestamp() - interval '1 second'");
        makeDue();
        Trips.RUNS.clear();

        resume();

        assertThat(Trips.RUNS).containsExactly(key);
        assertThat(results()).containsExactly(Result.FAILED);
        assertThat(resumed.events.get(0).failure()).hasMessage("provider down");
        assertThat(application.outcomes().all()).containsOnly(Outcome.FAILED);
        assertThat(messages()).extracting(message -> message.get("status")).containsExactly("pending");
    }

    @Test
    void anAttemptThatAnInterceptorAnswersHasNotSucceeded() {
        bookAndVanish();
        Interceptors.ANSWERS.set(true);

        resume();

        assertThat(results()).containsExactly(Result.FAILED);
        assertThat(application.request(key).get("failure_message")).asString().contains("without calling it");
    }

    @Test
    void anAttemptWhoseLossAnInterceptorSwallowsHasFailed() {
        bookAndVanish();
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            String reservation = bean.reserve(key, legs, voucher);
            application.expireLease(key);
            administration.forget(intent(), REASON);
            return reservation;
        });
        Interceptors.SWALLOWS.set(true);

        resume();

        assertThat(results()).containsExactly(Result.FAILED);
        assertThat(resumed.events.get(0).failure()).hasMessageContaining("has swallowed its failure");
    }

    @NotOnCitus
    @Test
    void anAttemptWhoseFailureCannotBeRecordedIsRepeated() throws Exception {
        bookAndVanish();
        DataSource dataSource = application.bean(DataSource.class);
        try (Connection lock = dataSource.getConnection()) {
            lock.setAutoCommit(false);
            Interceptors.BEFORE.set(() -> {
                new JdbcTemplate(new SingleConnectionDataSource(lock, true))
                        .queryForList(
                                "select from idempotency.idempotency_request where idempotency_key = ? for update",
                                key);
                throw new IllegalStateException("no provider");
            });
            resume();
            lock.rollback();
        }

        assertThat(results()).containsExactly(Result.FAILED);
        assertThat(resumed.events.get(0).failure())
                .hasMessage("no provider")
                .extracting(Throwable::getSuppressed, InstanceOfAssertFactories.array(Throwable[].class))
                .hasSize(1);
        application.expireLease(key);
        makeDue();
        resume();
        assertThat(results()).containsExactly(Result.FAILED, Result.SENT);
    }

    /** Between the requeue of its message and its next attempt. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHolderWhoseCallWasGivenUpLeavesItsRequeuedMessageAlone(boolean fails) {
        Trips.METHOD.set((bean, key, legs, voucher) -> {
            application.alterRequest(key, "locked_until = null");
            makeDue();
            if (fails) {
                throw new Refused();
            }
            return "late";
        });

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this::book);

        assertThat(messages()).extracting(message -> message.get("status")).containsExactly("pending");
        Trips.METHOD.set(Trips::reserve);
        resume();
        assertThat(results()).containsExactly(Result.SENT);
    }

    @Test
    void anotherPayloadIsRefusedBeforeAndAfterAResumedAttemptWithoutSteps() {
        Trips.METHOD.set((bean, key, legs, voucher) -> "done");
        bookAndVanish();
        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> bookLegs(List.of()));
        Trips.METHOD.set(Trips::fail);
        resume();

        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> bookLegs(List.of()));
        assertThat(results()).containsExactly(Result.FAILED);
    }

    @Test
    void aCallerThatComesBackInTheMeantimeGetsTheAnswerOfTheResumedCall() {
        bookAndVanish();
        AtomicReference<ConcurrentCalls<@Nullable String>> repeat = new AtomicReference<>();
        BeforeClaim.afterClaim(() -> {
            repeat.set(ConcurrentCalls.start(1, this::book));
            Awaitility.await().until(ResumeTest::aCallWaitsForTheLease);
        });

        resume();

        assertThat(results()).containsExactly(Result.SENT);
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
        Trips.METHOD.set(Trips::fail);
        assertThatThrownBy(this::book).hasMessage("provider down");
        Trips.METHOD.set(Trips::reserve);
        bookAndVanish(List.of());

        resume();

        assertThat(results()).containsExactly(Result.SENT);
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
        assertThat(results()).hasSize(30).containsOnly(Result.SENT);
    }

    @Test
    void aStoppedResumerStartsNoFurtherCall() {
        bookAndVanish();
        goesOn.set(false);
        try {
            resume();
            assertThat(resumed.events).isEmpty();
        } finally {
            goesOn.set(true);
        }
        resume();
        assertThat(results()).containsExactly(Result.SENT);
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
}
