package io.idempotency.internal.operation;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.springframework.core.NestedRuntimeException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;

import io.idempotency.DuplicatePolicy;
import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RecordedFailureException;
import io.idempotency.StepsChangedException;
import io.idempotency.test.Defaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Scopes, durations and placeholders, as the annotation is read at start-up. */
class OperationAttributesTest {

    @ParameterizedTest
    @CsvSource({
        "5s, PT5S",
        "PT5S, PT5S",
        "500ms, PT0.5S",
        "7d, PT168H",
        "2h, PT2H",
        "90m, PT1H30M",
        "1d2h3m, PT26H3M",
        "P1DT1H, PT25H",
        "1ms, PT0.001S",
    })
    void aDurationIsWrittenAsInSpring(String text, Duration duration) {
        CallOptions options = optionsWith(text);

        assertThat(options.retention().ofKey()).isEqualTo(duration);
        assertThat(options.waiting().timeout()).isEqualTo(duration);
    }

    /** The defaults are a retention of seven days and a lease of a minute. */
    @ParameterizedTest
    @CsvSource({"8d, '', 8d, 7d", "8d, 1d, 8d, 1d", "'', 59s, 1m, 59s"})
    void aLeaseThatIsLongerThanTheRetentionIsRefused(String lease, String retention, String leased, String kept) {
        assertThatThrownBy(() -> AnnotatedMethods.operation(
                        Leased.class, "run", Map.of("app.lease", lease, "app.retention", retention)))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContaining("The lease of " + leased + " is longer than the retention of " + kept + ".");
        assertThat(AnnotatedMethods.operation(Leased.class, "run", Map.of("app.lease", "1d", "app.retention", "1d")))
                .isNotNull();
    }

    @Test
    void theLeaseOfAProgrammaticCallIsCheckedWhateverIsSaidFirst() {
        RetentionPolicy policy = Defaults.retention(null);
        CallOptions hours = Defaults.OPTIONS.withLease(Duration.ofHours(2)).withRetention(Duration.ofHours(1));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.requireForCall(hours))
                .withMessage(
                        "The lease of 2h is longer than the retention of 1h. A caller that repeats the call while its key is held"
                                + " may repeat it after the retention, and then runs it again");
        assertThat(policy.requireForCall(hours.withRetention(Duration.ofHours(2))))
                .isNotNull();
        assertThat(policy.requireForCall(Defaults.OPTIONS.withRetention(Duration.ofSeconds(30))))
                .as("without a lease")
                .isNotNull();
    }

    /** A repeat could record a failure while the first attempt still runs. */
    @Test
    void finalFailuresOfAnOptimisticCallAreRefused() {
        assertThatThrownBy(() -> AnnotatedMethods.operation(Optimistic.class, "run"))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContaining("The mode 'OPTIMISTIC' of @Idempotent on ")
                .hasMessageContaining("An OPTIMISTIC call cannot have final failures")
                .extracting(refused -> ((InvalidIdempotentMethodException) refused).action())
                .isEqualTo("Remove mode = OPTIMISTIC, or remove finalFailures.");
        CallOptions withFailures = Defaults.OPTIONS.withFinalFailures(List.of(IllegalArgumentException.class));
        assertThatIllegalArgumentException().isThrownBy(withFailures::withOptimisticMode);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Defaults.OPTIONS
                        .withOptimisticMode()
                        .withFinalFailures(List.of(IllegalArgumentException.class)));
        assertThat(withFailures.withLease(Duration.ofMinutes(1)).finalFailures())
                .isNotEmpty();
    }

    /** Classes that are not on the class path here are known by their names. */
    static Stream<Class<? extends Throwable>> failuresThatAreNotCertain() {
        return Stream.of(
                Throwable.class,
                Exception.class,
                Error.class,
                RuntimeException.class,
                IllegalStateException.class,
                IOException.class,
                UncheckedIOException.class,
                SocketTimeoutException.class,
                HttpTimeoutException.class,
                TimeoutException.class,
                CancellationException.class,
                ExecutionException.class,
                InterruptedException.class,
                OutOfMemoryError.class,
                SQLException.class,
                SQLTransientConnectionException.class,
                PSQLException.class,
                NestedRuntimeException.class,
                DataAccessException.class,
                TransientDataAccessException.class,
                QueryTimeoutException.class,
                OptimisticLockingFailureException.class,
                DataAccessResourceFailureException.class,
                NonTransientDataAccessException.class,
                TransactionException.class,
                TransactionSystemException.class,
                UnexpectedRollbackException.class,
                IdempotencyException.class,
                OutcomeUnknownException.class,
                StepsChangedException.class,
                ReadTimedOut.class);
    }

    @ParameterizedTest
    @MethodSource("failuresThatAreNotCertain")
    void aFailureThatMayBeALostAnswerIsNotFinal(Class<? extends Throwable> failure) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Defaults.OPTIONS.withFinalFailures(List.of(Certain.class, failure)))
                .withMessageContainingAll(
                        failure.getName(),
                        "not say that there is no effect, or",
                        "a repeat may succeed. Name exceptions of your own");
    }

    /** Threads of the common pool have the class loader of the JVM, and a result is kept for all threads. */
    @Test
    void aFailureIsRefusedOnAThreadWhoseClassLoaderDoesNotKnowTheLibrary() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            Defaults.OPTIONS.withFinalFailures(List.of(NonTransientDataAccessResourceException.class)))
                    .withMessageContaining(" includes " + DataAccessResourceFailureException.class.getName());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void anUncertainFinalFailureOfAnAnnotationIsRefusedAtStartUp() {
        assertThatThrownBy(() -> AnnotatedMethods.operation(Uncertain.class, "run"))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContaining("The finalFailures 'RuntimeException' of @Idempotent on ")
                .hasMessageContaining("is not valid. java.lang.RuntimeException includes "
                        + TransientDataAccessException.class.getName()
                        + ", which does not say that there is no effect");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Certain.class,
                IllegalArgumentException.class,
                DataIntegrityViolationException.class,
                FileNotFoundException.class,
                RecordedFailureException.class
            })
    void aFailureThatSaysThatThereIsNoEffectIsFinal(Class<? extends Throwable> failure) {
        assertThat(Defaults.OPTIONS.withFinalFailures(List.of(failure)).finalFailures())
                .containsExactly(failure);
    }

    static class Certain extends IllegalStateException {}

    static class ReadTimedOut extends SocketTimeoutException {}

    static class Uncertain {

        @Idempotent(scope = "uncertain", key = "#key", finalFailures = RuntimeException.class)
        public void run(String key) {}
    }

    @Test
    void anEmptyDurationIsLeftToTheDefaults() {
        assertThat(optionsWith("")).isEqualTo(Defaults.OPTIONS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0s", "-5s", "PT-1S", "999us", "1ns"})
    void aDurationBelowAMillisecondIsRefused(String text) {
        assertThatThrownBy(() -> optionsWith(text))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll("retention", text, "at least one millisecond");
    }

    @Test
    void aDurationThatPostgresCannotHoldIsRefused() {
        assertThat(retainedFor("365000d").options().retention().ofKey()).isEqualTo(Duration.ofDays(365_000));
        assertThatThrownBy(() -> retainedFor("365001d"))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll("retention", "365001d", "at most");
        assertThat(waitingFor("24d").options().waiting().timeout()).isEqualTo(Duration.ofDays(24));
        assertThatThrownBy(() -> waitingFor("25d"))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll("waitTimeout", "25d", "at most");
    }

    private static CallOperation retainedFor(String retention) {
        return AnnotatedMethods.operation(Configured.class, "run", Map.of("app.name", "a", "app.retention", retention));
    }

    private static CallOperation waitingFor(String wait) {
        return AnnotatedMethods.operation(
                Configured.class, "run", Map.of("app.name", "a", "app.retention", "1d", "app.durations.wait", wait));
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "5 seconds", "5x", "s", "PT", "1,5s"})
    void whatIsNoDurationIsRefused(String text) {
        assertThatThrownBy(() -> optionsWith(text))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll("retention", text, "not a duration");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "604800", "-7", " 5 "})
    void aDurationWithoutAUnitIsRefused(String text) {
        assertThatThrownBy(() -> optionsWith(text))
                .asInstanceOf(InstanceOfAssertFactories.type(InvalidIdempotentMethodException.class))
                .satisfies(refused -> {
                    assertThat(refused.problem()).contains("The retention '" + text + "'", "It has no unit.");
                    assertThat(refused.action()).startsWith("Write " + text.strip() + "d for days, ");
                });
    }

    @Test
    void aWaitThatIsLongerThanTheRetentionIsRefusedUnlessAMinimumIsSet() {
        RetentionPolicy policy = Defaults.retention(null);
        CallOptions waiting =
                Defaults.OPTIONS.withWaitTimeout(Duration.ofHours(2)).withRetention(Duration.ofHours(1));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.requireForCall(waiting))
                .withMessage(
                        "The wait timeout of 2h is longer than the retention of 1h. A call may wait until the key is"
                                + " forgotten, and then runs again");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.requireWaitTimeout(Duration.ofDays(8), Duration.ofDays(7)));
        assertThat(Defaults.retention(Duration.ofHours(1)).requireForCall(waiting))
                .isEqualTo(waiting);
    }

    @Test
    void placeholdersAreReplacedInScopesAndDurations() {
        CallOperation operation = AnnotatedMethods.operation(
                Configured.class,
                "run",
                Map.of("app.name", "shop", "app.retention", "30d", "app.durations.wait", "250ms"));

        assertThat(operation.scope()).isEqualTo("shop.orders");
        assertThat(operation.options().retention().ofKey()).isEqualTo(Duration.ofDays(30));
        assertThat(operation.options().waiting().timeout()).isEqualTo(Duration.ofMillis(250));
        assertThat(operation.options().waiting().onDuplicate()).isEqualTo(DuplicatePolicy.FAIL);
    }

    @Test
    void aPlaceholderWithoutAValueIsRefused() {
        assertThatThrownBy(() -> AnnotatedMethods.operation(Configured.class, "run", Map.of("app.retention", "1d")))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll("scope", "app.name");
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a\u200bb", "\u202eabc"})
    void aScopeThatIsNotPrintableIsRefused(String name) {
        assertThatThrownBy(() -> AnnotatedMethods.operation(Named.class, "run", Map.of("name", name)))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContaining("scope");
    }

    @Test
    void aScopeMayHave128CodePoints() {
        String longest = "\ud83d\ude00".repeat(128);

        assertThat(AnnotatedMethods.operation(Named.class, "run", Map.of("name", longest))
                        .scope())
                .isEqualTo(longest);
        assertThatThrownBy(() -> AnnotatedMethods.operation(Named.class, "run", Map.of("name", longest + "x")))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContaining("has 129 characters, more than 128");
    }

    @Test
    void aMethodWithoutTheAnnotationIsNoOperation() {
        assertThat(AnnotatedMethods.operation(Named.class, "notAnnotated")).isNull();
    }

    @Test
    void aScopeBelongsToOneMethod() {
        AnnotationOperationSource source = AnnotatedMethods.source(Map.of("name", "taken", "duration", ""));
        source.findOperation(AnnotatedMethods.method(Named.class, "run"), Named.class);

        assertThat(source.findOperation(AnnotatedMethods.method(Named.class, "run"), SubclassOfNamed.class))
                .as("the same method of another class")
                .isNotNull();
        assertThatThrownBy(() -> source.findOperation(AnnotatedMethods.method(Taken.class, "run"), Taken.class))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll("'taken'", "two methods", "Named", "Taken");
    }

    private static CallOptions optionsWith(String duration) {
        return AnnotatedMethods.operation(Timed.class, "run", Map.of("duration", duration))
                .options();
    }

    static class Timed {

        @Idempotent(scope = "timed", key = "#key", retention = "${duration}", waitTimeout = "${duration}")
        public void run(String key) {}
    }

    static class Configured {

        @Idempotent(
                scope = "${app.name}.orders",
                key = "#key",
                retention = "${app.retention}",
                waitTimeout = "${app.durations.wait:1s}",
                onDuplicate = DuplicatePolicy.FAIL)
        public void run(String key) {}
    }

    static class Leased {

        @Idempotent(
                scope = "leased",
                key = "#key",
                mode = IdempotencyMode.LEASED,
                lease = "${app.lease}",
                retention = "${app.retention}")
        public void run(String key) {}
    }

    static class Optimistic {

        @Idempotent(
                scope = "optimistic",
                key = "#key",
                mode = IdempotencyMode.OPTIMISTIC,
                finalFailures = IllegalArgumentException.class)
        public void run(String key) {}
    }

    static class Named {

        @Idempotent(scope = "${name}", key = "#key")
        public void run(String key) {}

        public void notAnnotated(String key) {}
    }

    static class SubclassOfNamed extends Named {}

    static class Taken {

        @Idempotent(scope = "taken", key = "#key")
        public void run(String key) {}
    }
}
