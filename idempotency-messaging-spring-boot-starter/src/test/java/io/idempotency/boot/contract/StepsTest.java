package io.idempotency.boot.contract;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.UnexpectedRollbackException;

import io.idempotency.FailureTranslator;
import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Intent;
import io.idempotency.InterventionRefusedException;
import io.idempotency.KeyReusedException;
import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RecordedFailureException;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.StepRecord;
import io.idempotency.StepsChangedException;
import io.idempotency.TransactionFailedException;
import io.idempotency.boot.contract.Callers.Call;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.internal.retention.Purge;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.RoundTripCounter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** The steps of a leased call: what is recorded is not run again by a later attempt. */
@ContractTest
class StepsTest {

    private static final Reason REASON = new Reason("ada", "the provider was asked");

    private final ContractApplications applications;

    private final CuttingProxy proxy;

    private final ContractApplication application;

    private final ContractApplication other;

    private final IdempotencyAdministration administration;

    private final JdbcTemplate jdbc;

    private final JdbcTemplate admin;

    /** The steps that were run, in their order. */
    private final List<String> runs = new CopyOnWriteArrayList<>();

    private String key = "";

    StepsTest(ContractApplications applications) {
        this.applications = applications;
        proxy = applications.proxy();
        application =
                applications.withQuietFailures().start(List.of(RepeatableTrips.class), "idempotency.retry.delay=5ms");
        other = applications.start(List.of());
        administration = application.bean(IdempotencyAdministration.class);
        jdbc = application.bean(JdbcTemplate.class);
        admin = applications.database().jdbc();
    }

    @BeforeEach
    void newKey() {
        key = "trip-" + UUID.randomUUID();
        runs.clear();
    }

    record Charge(String id, long cents) {}

    static class RepeatableTrips {

        @Idempotent(
                scope = "repeatable-trips",
                key = "#key",
                fingerprint = "#key",
                mode = IdempotencyMode.LEASED,
                retryLeased = true)
        @Nullable String book(String key, Supplier<@Nullable String> method) {
            return method.get();
        }
    }

    private IdempotencyOperations.Call trip() {
        return tripOf(application);
    }

    private IdempotencyOperations.Call tripOf(ContractApplication instance) {
        return instance.bean(IdempotencyOperations.class)
                .call("trips", key, 100)
                .leased(Duration.ofSeconds(60))
                .finalFailures(List.of(LeasedPayments.Declined.class));
    }

    private @Nullable String book(IdempotencyOperations.Callback<@Nullable String, RuntimeException> method) {
        return trip().returning(String.class).execute(method);
    }

    private Intent intent() {
        return new Intent("trips", "", new IdempotencyKey(key));
    }

    private @Nullable String step(String name) {
        return IdempotencyContext.current().step(name, String.class, () -> run(name));
    }

    private String run(String name) {
        runs.add(name);
        return name + " " + runs.size();
    }

    private void attempt(String... steps) {
        vanishAfter(() -> List.of(steps).forEach(this::step));
    }

    /** Ends an attempt as a vanished process does, but sooner. */
    private void vanishAfter(Runnable work) {
        assertThatThrownBy(() -> book(() -> {
                    work.run();
                    throw new IllegalStateException("vanished");
                }))
                .hasMessage("vanished");
    }

    /** Pays in a step, and does something else in its transaction. */
    private @Nullable String bookWithCharge(Runnable further) {
        return book(() -> IdempotencyContext.current().stepInTransaction("charge", String.class, () -> {
            jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5)");
            further.run();
            return run("charge");
        }));
    }

    private void assertNothingIsKept() {
        assertThat(application.effects()).isZero();
        assertThat(administration.findSteps(intent())).isEmpty();
    }

    @Test
    void aLaterAttemptGoesOnAfterTheRecordedSteps() {
        attempt("reserve", "charge");

        String answer = book(() -> step("reserve") + ", " + step("charge") + ", " + step("ship"));

        assertThat(answer).isEqualTo("reserve 1, charge 2, ship 3");
        assertThat(runs).containsExactly("reserve", "charge", "ship");
        assertThat(book(() -> "not run")).isEqualTo(answer);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.RETRIED, Outcome.REPLAYED);
    }

    @Test
    void aStepThatHasFailedIsRunAgain() {
        assertThatThrownBy(() -> book(() -> {
                    step("reserve");
                    return IdempotencyContext.current().step("charge", String.class, () -> {
                        run("charge");
                        throw new IllegalStateException("no answer");
                    });
                }))
                .hasMessage("no answer");

        assertThat(book(() -> step("reserve") + ", " + step("charge"))).isEqualTo("reserve 1, charge 3");
    }

    @Test
    void aStepMayBeAskedForAgainAfterAFailureThatTheMethodHandles() {
        String answer = book(() -> {
            try {
                IdempotencyContext.current().step("charge", (IdempotencyOperations.Action<RuntimeException>) () -> {
                    throw new IllegalStateException("no answer");
                });
                return "not reached";
            } catch (IllegalStateException noAnswer) {
                return step("charge");
            }
        });

        assertThat(answer).isEqualTo("charge 1");
    }

    @Test
    void aHolderThatWasPausedIsFencedBeforeItsNextStepIsRecorded() {
        Gate gate = new Gate();
        try (Callers callers = Callers.onPlatformThreads()) {
            Call<@Nullable String> paused = callers.start(() -> book(() -> {
                step("reserve");
                return stepBehind(gate, "charge of the paused holder");
            }));
            gate.awaitHeld();
            application.expireLease(key);

            String answer = otherInstance(() -> step("reserve") + ", " + step("charge"));
            gate.open();

            assertThat(answer).isEqualTo("reserve 1, charge 2");
            assertThat(paused.failure()).isInstanceOf(LeaseLostException.class);
        }
        assertThat(administration.findSteps(intent()))
                .extracting(StepRecord::name, StepRecord::attempt)
                .containsExactly(tuple("reserve", 1), tuple("charge", 2));
    }

    private @Nullable String otherInstance(IdempotencyOperations.Callback<@Nullable String, RuntimeException> method) {
        return tripOf(other).returning(String.class).execute(method);
    }

    private @Nullable String stepBehind(Gate gate, String run) {
        return IdempotencyContext.current().step("charge", String.class, () -> {
            gate.holdTheFirst();
            return run(run);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IN_SILENCE")
    @Tag("race")
    void aStepWhoseRecordIsCommittedWithoutAnAnswerRunsOnce(Point point) {
        int cutsBefore = proxy.cuts();

        String answer = book(() -> IdempotencyContext.current().step("charge", String.class, () -> {
            proxy.cutNext("COMMIT", point);
            return run("charge");
        }));

        assertThat(proxy.cuts() - cutsBefore).isEqualTo(1);
        assertThat(answer).isEqualTo("charge 1");
        assertThat(administration.findSteps(intent())).hasSize(1);
    }

    @Test
    @Tag("race")
    void aStepWhoseRecordWasInDoubtIsReadWhenTheMethodAsksAgain() {
        String answer = book(() -> {
            assertThatThrownBy(this::chargeInDoubt).isInstanceOf(OutcomeUnknownException.class);
            return chargeInDoubt();
        });

        assertThat(answer).isEqualTo("charge 1");
        assertThat(application.effects()).isEqualTo(1);
    }

    @Test
    @Tag("race")
    void aStepWhoseRecordWasInDoubtIsReadWhenTheCallIsRetried() {
        String answer = application.bean(RepeatableTrips.class).book(key, () -> {
            try {
                return chargeInDoubt();
            } catch (OutcomeUnknownException inDoubt) {
                // Without an SQLSTATE it is no reason to retry the call; the next statement of a method would be.
                throw new TransientDataAccessResourceException("lost", new SQLException("lost", "08006"));
            }
        });

        assertThat(answer).isEqualTo("charge 1");
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().retries()).hasSize(1);
    }

    /** The COMMIT is not answered, and until the step has failed the table cannot be asked what was committed. */
    private @Nullable String chargeInDoubt() {
        try {
            return IdempotencyContext.current().stepInTransaction("charge", String.class, () -> {
                jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5)");
                proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);
                Callbacks.afterCompletion(
                        status -> admin.execute("alter table idempotency.idempotency_request rename to away"));
                return run("charge");
            });
        } finally {
            admin.execute("alter table if exists idempotency.away rename to idempotency_request");
        }
    }

    @Test
    void aStepInATransactionOfAFencedHolderIsRolledBack() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(
                        () -> bookWithCharge(() -> application.alterRequest(key, "claim_token = gen_random_uuid()")));

        assertNothingIsKept();
    }

    @Test
    void aSwallowedErrorOfTheDatabaseRollsTheStepBack() {
        assertThatThrownBy(() -> bookWithCharge(() -> swallowFailureOf("select 1 / 0")))
                .hasMessageContaining("a failed SQL statement was swallowed");

        assertNothingIsKept();
    }

    /** The driver does not say that such a COMMIT was answered with ROLLBACK, or not sent. */
    @ParameterizedTest
    @ValueSource(strings = {"select 1 / 0", "rollback"})
    void aTransactionThatIsLostAfterTheRecordOfItsStepIsNotTakenForCommitted(String statement) {
        assertThatExceptionOfType(TransactionFailedException.class)
                .isThrownBy(() -> bookWithCharge(() -> Callbacks.beforeCommit(() -> swallowFailureOf(statement))));

        assertNothingIsKept();
    }

    @Test
    void aFailureOfTheLibraryIsNotThatOfTheStep() {
        String answer = trip().returning(String.class).execute(() -> {
            assertThatExceptionOfType(TransactionFailedException.class)
                    .isThrownBy(() -> IdempotencyContext.current()
                            .stepInTransaction("charge", () -> swallowFailureOf("select 1 / 0")));
            return step("charge");
        });

        assertThat(answer).isEqualTo("charge 1");
    }

    private void swallowFailureOf(String statement) {
        try {
            jdbc.execute(statement);
        } catch (RuntimeException swallowed) {
            assertThat(swallowed).hasMessageContaining("division by zero");
        }
    }

    @Test
    void aFinalFailureOfAStepIsGivenToLaterAttempts() {
        vanishAfter(() -> assertThatThrownBy(this::chargeInVain).isInstanceOf(LeasedPayments.Declined.class));

        String answer = book(() -> {
            assertThatThrownBy(this::chargeInVain)
                    .isInstanceOfSatisfying(
                            RecordedFailureException.class,
                            recorded -> assertThat(recorded.recordedMessage()).isEqualTo("no money"));
            return step("tell the customer");
        });

        assertThat(answer).isEqualTo("tell the customer 2");
        assertThat(runs).containsExactly("charge", "tell the customer");
    }

    @Test
    void aTranslatorThatFailsDoesNotHideTheFailureOfAStep() {
        ContractApplication untranslatable = applications.start(List.of(FailingTranslator.class));

        assertThatExceptionOfType(LeasedPayments.Declined.class)
                .isThrownBy(() -> tripOf(untranslatable).run(this::chargeInVain))
                .satisfies(declined -> assertThat(declined.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsOnly("no code"));
    }

    static class FailingTranslator implements FailureTranslator {

        @Override
        public String codeOf(Throwable failure) {
            throw new IllegalStateException("no code");
        }
    }

    @Test
    void aReplayedFinalFailureOfAStepIsThatOfTheCall() {
        vanishAfter(() -> assertThatThrownBy(this::chargeInVain).isInstanceOf(LeasedPayments.Declined.class));

        assertThatThrownBy(() -> book(() -> {
                    chargeInVain();
                    return "not reached";
                }))
                .isInstanceOf(RecordedFailureException.class);

        assertThat(application.request(key))
                .containsEntry("status", "failed_final")
                .containsEntry("failure_message", "no money");
    }

    /** What the method does next may depend on the failure, which the next attempt would not get. */
    @Test
    void afterAStepThatCouldNotBeRecordedNoneIsRun() {
        jdbc.execute("create or replace function refuse() returns trigger language plpgsql as $$ begin"
                + " raise 'no room for a step' using errcode = '53100'; end $$");
        for (boolean isFinalFailure : new boolean[] {true, false}) {
            newKey();
            jdbc.execute("create trigger refuse before update on idempotency.idempotency_request for each row"
                    + " when (new.steps is distinct from old.steps) execute function refuse()");
            try {
                assertThatThrownBy(() -> book(() -> {
                            if (isFinalFailure) {
                                assertThatThrownBy(this::chargeInVain).isInstanceOf(LeasedPayments.Declined.class);
                            } else {
                                assertThatThrownBy(() -> step("charge")).hasStackTraceContaining("no room for a step");
                            }
                            jdbc.execute("drop trigger refuse on idempotency.idempotency_request");
                            return step("tell the customer");
                        }))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("'charge', which has ended and could not be recorded");
            } finally {
                jdbc.execute("drop trigger if exists refuse on idempotency.idempotency_request");
            }
            assertThat(runs).containsExactly("charge");
            assertThat(administration.findSteps(intent())).isEmpty();
        }
    }

    private void chargeInVain() {
        IdempotencyContext.current().step("charge", () -> {
            run("charge");
            throw new LeasedPayments.Declined("no money");
        });
    }

    @Test
    void resultsKeepTheirTypesWithTypeArguments() {
        ParameterizedTypeReference<List<Charge>> type = new ParameterizedTypeReference<>() {};
        List<Charge> charges = List.of(new Charge("c1", 5), new Charge("c2", 7));
        vanishAfter(() -> {
            IdempotencyContext.current().step("charge", type, () -> charges);
            IdempotencyContext.current().stepInTransaction("book", type, () -> charges);
        });

        book(() -> {
            assertThat(IdempotencyContext.current().step("charge", type, () -> List.<Charge>of()))
                    .isEqualTo(charges);
            assertThat(IdempotencyContext.current().stepInTransaction("book", type, () -> List.<Charge>of()))
                    .isEqualTo(charges);
            return "done";
        });
    }

    @Test
    void theDownstreamKeyOfAStepIsThatOfItsNameInEachAttempt() {
        List<String> keys = new ArrayList<>();
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> book(() -> {
                        assertThatIllegalStateException()
                                .isThrownBy(() -> IdempotencyContext.current().downstreamKey());
                        keys.add(IdempotencyContext.current().downstreamKey("charge"));
                        return IdempotencyContext.current().step("charge", String.class, () -> {
                            keys.add(IdempotencyContext.current().downstreamKey());
                            assertThat(IdempotencyContext.current().downstreamKey("charge"))
                                    .isNotEqualTo(keys.get(0));
                            throw new IllegalStateException("no answer");
                        });
                    }))
                    .hasMessage("no answer");
        }
        assertThat(keys).hasSize(4).containsOnly(keys.get(0));
    }

    @Test
    void anotherPayloadDoesNotGoOnWithTheSteps() {
        attempt("charge");

        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() -> application
                        .bean(IdempotencyOperations.class)
                        .call("trips", key, 200)
                        .leased(Duration.ofSeconds(60))
                        .run(() -> step("charge")));
    }

    /** Recorded are reserve, charge and ship in this order, with texts as results. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        reserve, charge, ship           | done
        reserve, charge, ship, thank    | done
        charge, reserve, ship           | done
        ship, charge, reserve, thank    | done
        reserve, bill, ship             | asks for the step 'bill', which is not recorded without having asked for the step 'charge'
        book, charge, ship              | asks for the step 'book', which is not recorded without having asked for the step 'reserve'
        reserve, charge, send           | asks for the step 'send', which is not recorded without having asked for the step 'ship'
        reserve, charge                 | has returned without having asked for the step 'ship'
        charge, ship                    | has returned without having asked for the step 'reserve'
        reserve, ship                   | has returned without having asked for the step 'charge'
        reserve                         | has returned without having asked for the step 'charge'
        ''                              | has returned without having asked for the step 'reserve'
        check, reserve, charge, ship    | asks for the step 'check', which is not recorded without having asked for the step 'reserve'
        reserve, check, charge, ship    | asks for the step 'check', which is not recorded without having asked for the step 'charge'
        reserve, charge, check, ship    | asks for the step 'check', which is not recorded without having asked for the step 'ship'
        reserve, charge, ship, a, b     | done
        Reserve, charge, ship           | asks for the step 'Reserve', which is not recorded without having asked for the step 'reserve'
        reserve:int, charge, ship       | cannot read the result of the step 'reserve' as java.lang.Integer
        reserve, charge:int, ship       | cannot read the result of the step 'charge' as java.lang.Integer
        reserve, charge, ship:charge    | cannot read the result of the step 'ship' as
        reserve, charge, ship:void      | done
        """)
    void codeThatHasChangedBetweenTwoAttemptsGoesOnOrIsReported(String steps, String expected) {
        attempt("reserve", "charge", "ship");

        IdempotencyOperations.Callback<@Nullable String, RuntimeException> changed = () -> {
            for (String step : steps.split(", ", -1)) {
                if (step.isEmpty()) {
                    break;
                }
                String[] nameAndType = step.split(":", 2);
                switch (nameAndType.length == 1 ? "" : nameAndType[1]) {
                    case "int" -> IdempotencyContext.current().step(nameAndType[0], Integer.class, () -> 1);
                    case "charge" ->
                        IdempotencyContext.current().step(nameAndType[0], Charge.class, () -> new Charge("c1", 5));
                    case "void" -> IdempotencyContext.current().step(nameAndType[0], () -> run(step));
                    default -> step(step);
                }
            }
            return "done";
        };

        if (expected.equals("done")) {
            assertThat(book(changed)).isEqualTo("done");
            assertThat(runs.subList(0, 3)).containsExactly("reserve", "charge", "ship");
            assertThat(runs).doesNotHaveDuplicates();
        } else {
            assertThatExceptionOfType(StepsChangedException.class)
                    .isThrownBy(() -> book(changed))
                    .withMessageContaining(expected)
                    .withMessageContaining("[reserve, charge, ship]");
            assertThat(runs).containsExactly("reserve", "charge", "ship");
            assertThat(application.request(key)).containsEntry("status", "failed_retryable");
        }
    }

    record Price(BigDecimal amount) {}

    record Cents(long amount) {}

    record Ignoring(long amount, @JsonIgnore @Nullable String note) {}

    /** The method goes on with the result of a step, which no client sees. */
    @Test
    void theResultOfAStepIsNeverLossy() {
        IdempotencyOperations.Call lossy = trip().lossyResponse();
        assertThatExceptionOfType(ResponseNotStorableException.class)
                .isThrownBy(() -> lossy.run(() -> IdempotencyContext.current()
                        .stepInTransaction("price", Ignoring.class, () -> new Ignoring(1, "secret"))))
                .withMessageContaining("in its step 'price', the method would go on with another result at $.note")
                .withMessageNotContaining("lossyResponse");
        assertThatThrownBy(() -> lossy.run(() -> {
                    IdempotencyContext.current().step("price", Price.class, () -> new Price(new BigDecimal("100.50")));
                    throw new IllegalStateException("vanished");
                }))
                .hasMessage("vanished");

        assertThatExceptionOfType(StepsChangedException.class)
                .isThrownBy(() ->
                        lossy.run(() -> IdempotencyContext.current().step("price", Cents.class, () -> new Cents(1))))
                .withMessageContaining("cannot read the result of the step 'price' as " + Cents.class.getName())
                .havingCause()
                .withMessage("The stored JSON has $.amount, which is another value");
    }

    /** Unchanged code that takes another way: the second attempt would have to know that the first one had failed to reach visa. */
    @Test
    void aStepThatIsNotRecordedIsNotRunBeforeARecordedOne() {
        vanishAfter(() -> {
            assertThatThrownBy(() -> IdempotencyContext.current().step("visa", () -> {
                        throw new IllegalStateException("no answer");
                    }))
                    .hasMessage("no answer");
            step("paypal");
        });

        assertThatExceptionOfType(StepsChangedException.class)
                .isThrownBy(() -> book(() -> step("visa")))
                .withMessageContaining("in the same order each time");
        assertThat(runs).containsExactly("paypal");
    }

    @Test
    void aCallWithoutALeaseDoesNotBeginAgainWhereStepsAreRecorded() {
        attempt("charge");

        assertThatExceptionOfType(StepsChangedException.class)
                .isThrownBy(() -> application
                        .bean(IdempotencyOperations.class)
                        .call("trips", key, 100)
                        .run(() -> run("charge without a step")))
                .withMessageContaining("is not leased any more");
        assertThat(runs).containsExactly("charge");
    }

    @Test
    void aLeaseThatHasExpiredUnnoticedIsExtendedBeforeAStepRuns() {
        String answer = trip().leased(Duration.ofMillis(1))
                .returning(String.class)
                .execute(() -> IdempotencyContext.current().step("charge", String.class, () -> {
                    application.alterRequest(key, "locked_until = locked_until + interval '1 minute'");
                    return run("charge");
                }));

        assertThat(answer).isEqualTo("charge 1");
        assertThat(application.request(key)).containsEntry("status", "succeeded");
    }

    @Test
    void aStepIsNotRunWithALeaseThatHasExpiredUnnoticedAndWasReclaimed() {
        try (Callers callers = Callers.onPlatformThreads()) {
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> trip().leased(Duration.ofMillis(1))
                            .returning(String.class)
                            .execute(() -> {
                                callers.start(() -> otherInstance(() -> step("charge")))
                                        .answer();
                                return step("charge");
                            }));
        }

        assertThat(runs).containsExactly("charge");
        assertThat(administration.findSteps(intent()))
                .extracting(StepRecord::attempt)
                .containsExactly(2);
    }

    @Test
    void anExceptionAfterTheCommitOfAStepIsThrownAndTheStepIsRecorded() {
        assertThatThrownBy(() -> bookWithCharge(() -> Callbacks.afterCommit(() -> {
                    throw new IllegalStateException("listener");
                })))
                .hasMessage("listener");

        assertThat(bookWithCharge(() -> {})).isEqualTo("charge 1");
        assertThat(application.effects()).isEqualTo(1);
    }

    @Test
    void aTransactionExceptionBeforeTheCommitRollsTheStepBack() {
        assertThatThrownBy(() -> bookWithCharge(() -> Callbacks.beforeCommit(() -> {
                    throw new UnexpectedRollbackException("inner");
                })))
                .hasMessage("inner");

        assertNothingIsKept();
    }

    @Test
    void aStepIsRefusedOnAnotherThreadAndAfterTheMethod() {
        AtomicReference<IdempotencyContext> kept = new AtomicReference<>();
        book(() -> {
            IdempotencyContext context = IdempotencyContext.current();
            kept.set(context);
            try (Callers callers = Callers.onPlatformThreads()) {
                assertThat(callers.start(() -> context.step("charge", String.class, () -> run("charge")))
                                .failure())
                        .hasMessageContaining("on another thread");
            }
            return "done";
        });

        assertThatIllegalStateException()
                .isThrownBy(() -> kept.get().step("charge", String.class, () -> run("charge")))
                .withMessageContaining("after the method");
        assertThat(runs).isEmpty();
    }

    @Test
    void anOperatorSeesTheStepsAndLetsThemRunAgain() {
        attempt("reserve", "charge", "ship");

        assertThat(administration.findSteps(intent()))
                .extracting(StepRecord::name)
                .containsExactly("reserve", "charge", "ship");
        assertThat(jdbc.queryForList(
                        "select step || ' ' || attempt || ' ' || response from idempotency.idempotency_step"
                                + " where idempotency_key = ? order by position",
                        String.class,
                        key))
                .containsExactly("reserve 1 \"reserve 1\"", "charge 1 \"charge 2\"", "ship 1 \"ship 3\"");
        assertThatExceptionOfType(InterventionRefusedException.class)
                .isThrownBy(() -> administration.retryFrom(intent(), "bill", REASON))
                .withMessageContaining("it has recorded [reserve, charge, ship]");
        administration.retryFrom(intent(), "charge", REASON);

        assertThat(book(() -> step("reserve") + ", " + step("charge"))).isEqualTo("reserve 1, charge 4");
        assertThatExceptionOfType(InterventionRefusedException.class)
                .isThrownBy(() -> administration.retryFrom(intent(), "charge", REASON))
                .withMessageContaining("it is not stale but SUCCEEDED");
    }

    @Test
    void aCallThatHasFailedFinallyRunsAgainFromTheStepOfTheOperator() {
        assertThatThrownBy(() -> book(() -> {
                    step("reserve");
                    throw new LeasedPayments.Declined("no money");
                }))
                .isInstanceOf(LeasedPayments.Declined.class);

        administration.retryFrom(intent(), "reserve", REASON);

        assertThat(book(() -> step("reserve"))).isEqualTo("reserve 2");
    }

    @Test
    void whatCannotBeAStepIsRefusedBeforeItRuns() {
        book(() -> {
            step("reserve");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> step("reserve"))
                    .withMessageContaining("has had a step 'reserve' before");
            assertThatIllegalArgumentException().isThrownBy(() -> step(" ")).withMessageContaining("is blank");
            assertThatIllegalStateException()
                    .isThrownBy(() -> IdempotencyContext.current().step("outer", () -> step("inner")))
                    .withMessageContaining("within the step 'outer'");
            assertThatIllegalStateException()
                    .isThrownBy(() -> application
                            .transaction()
                            .executeWithoutResult(status ->
                                    IdempotencyContext.current().stepInTransaction("charge", () -> run("charge"))))
                    .withMessageContaining("was asked for in an open transaction");
            return "done";
        });
        assertThat(runs).containsExactly("reserve");
        assertThatIllegalStateException()
                .isThrownBy(() -> application
                        .bean(IdempotencyOperations.class)
                        .call("trips", key + "-transactional", 100)
                        .run(() -> step("reserve")))
                .withMessageContaining("holds no lease");
    }

    @Test
    void aStepTakesOneRoundTrip() throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(applications.database())) {
            ContractApplication counted = applications.start(
                    List.of(),
                    "spring.datasource.url=" + counter.jdbcUrl(),
                    "spring.datasource.hikari.maximum-pool-size=1");
            for (int call = 0; call < 8; call++) {
                counted.bean(IdempotencyOperations.class)
                        .call("trips", key + call, 100)
                        .leased(Duration.ofSeconds(60))
                        .run(() -> {
                            step("prepares the statement");
                            assertThat(counter.count(() -> step("charge"))).isEqualTo(1);
                        });
            }
        }
    }

    @Test
    void stepsAreClearedWithTheResponse() throws Exception {
        book(() -> step("reserve"));
        application.alterRequest(key, "response_expires_at = statement_timestamp() - interval '1 second'");

        application.bean(Purge.class).run(Duration.ofSeconds(10));

        assertThat(application.request(key))
                .containsEntry("response_body", null)
                .containsEntry("steps", null);
    }
}
