package io.idempotency.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;
import org.opentest4j.TestAbortedException;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.KeyReusedException;
import io.idempotency.proof.Report.Verdict;
import io.idempotency.proof.StatementRecorder.Strike;

/** The proof of one scenario: its tests, each of a run, and its report. */
final class Proof {

    private static final int AT_ONCE = 8;

    private static final int MOST_CAUSES = 5;

    private static final String CLEAN_RUN = "clean run";

    private static final String REPEAT = "repeat";

    private final Object test;

    private final ApplicationContext context;

    private final Method scenario;

    private final Report report;

    private @Nullable Opened opened;

    private @Nullable Baseline baseline;

    /** The test that has told a cause, by cause. Each cause is told once. */
    private final Map<String, String> causes = new HashMap<>();

    /** The finding of the running test. */
    private @Nullable Finding found;

    /** What would fail for the same reason is not tried. */
    private boolean isHopeless;

    private Proof(Object test, ApplicationContext context, Method scenario) {
        this.test = test;
        this.context = context;
        this.scenario = scenario;
        this.report = new Report(test.getClass(), scenario);
    }

    /** What the tests share: the first of them that runs opens it. */
    private record Opened(
            Databases databases, Instance first, Instance second, ScenarioRunner runner, ExpectedLogs logs) {}

    static Stream<DynamicContainer> ofScenarios(Object test, ApplicationContext context) {
        List<Method> scenarios = scenariosOf(test.getClass());
        if (scenarios.isEmpty()) {
            throw new IllegalStateException(test.getClass().getName() + " has no method with @IdempotencyScenario");
        }
        return scenarios.stream()
                .map(scenario -> DynamicContainer.dynamicContainer(
                        scenario.getName(), source(scenario), new Proof(test, context, scenario).tests()));
    }

    /** Quotes the spaces that a name in Kotlin may have. */
    private static URI source(Method scenario) {
        String parameters = Stream.of(scenario.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(",", "(", ")"));
        try {
            return new URI("method", scenario.getDeclaringClass().getName(), scenario.getName() + parameters);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<Method> scenariosOf(Class<?> testClass) {
        return MethodIntrospector.selectMethods(
                        testClass,
                        (Method method) -> AnnotatedElementUtils.hasAnnotation(method, IdempotencyScenario.class))
                .stream()
                .sorted(Comparator.comparing(Method::getName))
                .toList();
    }

    /** Each stage is asked for its tests when the tests of the stage before have run. */
    private Stream<DynamicTest> tests() {
        return Stream.<Supplier<Stream<DynamicTest>>>of(this::withoutFault, this::withFaults)
                .takeWhile(stage -> !isHopeless)
                .flatMap(Supplier::get)
                .takeWhile(each -> !isHopeless && causes.size() < MOST_CAUSES)
                .onClose(this::close);
    }

    private Stream<DynamicTest> withoutFault() {
        List<DynamicTest> tests = new ArrayList<>();
        tests.add(test(CLEAN_RUN, this::baseline));
        tests.add(test(
                REPEAT,
                () -> prove("after a repeat", null, 1, callers -> callers.call(opened().first(), opened().first()))));
        if (List.of(scenario.getParameterTypes()).contains(Payload.class)) {
            tests.add(test("repeat with another payload", this::repeatWithAnotherPayload));
        }
        tests.add(test(
                "eight at once",
                () -> prove(
                        "after eight calls at once",
                        null,
                        AT_ONCE,
                        callers -> callers.callAtOnce(Collections.nCopies(AT_ONCE, opened().first())))));
        tests.add(test("second instance", this::eightOnTwoInstances));
        tests.add(test("one transaction", this::oneTransaction));
        return tests.stream();
    }

    private void repeatWithAnotherPayload() throws Exception {
        Run run = prove("after a repeat with another payload", null, 1, callers -> {
            callers.call(opened().first(), opened().first());
            callers.callWithAnotherPayload(opened().first());
        });
        if (!run.payloadRefused()) {
            throw new AssertionError(scenario.getName()
                    + ": after a repeat with another payload nothing was refused: "
                    + (run.keys().isEmpty()
                            ? "no key was claimed"
                            : "the call got no " + KeyReusedException.class.getSimpleName()
                                    + ", so the fingerprint has nothing of what the scenario's Payload chooses"));
        }
    }

    private void eightOnTwoInstances() throws Exception {
        List<Instance> instances = new ArrayList<>(Collections.nCopies(AT_ONCE / 2, opened().first()));
        instances.addAll(Collections.nCopies(AT_ONCE / 2, opened().second()));
        prove("after eight calls at once of two instances", null, AT_ONCE, callers -> callers.callAtOnce(instances));
    }

    private void oneTransaction() throws Exception {
        Baseline usual = baseline();
        report(new OneTransactionCheck(usual, opened().databases().writers()).findWrong());
    }

    private Stream<DynamicTest> withFaults() {
        Baseline usual;
        try {
            usual = baseline();
        } catch (Exception e) {
            throw new IllegalStateException("The scenario was not recorded", e);
        }
        List<RecordedStatement> statements = usual.run().statements();
        List<RecordedStatement> broken = broken(statements);
        report.unbroken(statements.size() - broken.size());
        return broken.stream()
                .flatMap(statement -> Stream.of(Fault.values()).map(fault -> {
                    String when = when(statements, statement, fault);
                    return test(when + ": " + fault.description(), () -> {
                        Run run = prove(
                                when + ", when " + fault.description() + ",",
                                new Strike(fault, statement),
                                1,
                                // A process that vanished is followed by another one.
                                callers -> callers.call(opened().first(), opened().second()));
                        if (!run.struck()) {
                            throw new TestAbortedException(
                                    "The fault did not strike: the run did not send the statement, or the connection"
                                            + " cannot be cut because its URL has a socketFactory");
                        }
                    });
                }));
    }

    /** Returns the statements to break: three of each loop, because the others would show the same. */
    static List<RecordedStatement> broken(List<RecordedStatement> statements) {
        return statements.stream().collect(Collectors.groupingBy(RecordedStatement::loop)).values().stream()
                .flatMap(loop -> IntStream.of(0, loop.size() / 2, loop.size() - 1)
                        .distinct()
                        .mapToObj(loop::get))
                .sorted(Comparator.comparingInt(RecordedStatement::number))
                .toList();
    }

    private static String when(List<RecordedStatement> statements, RecordedStatement statement, Fault fault) {
        long count = statements.stream()
                .filter(each -> each.kind() == statement.kind())
                .count();
        String position = statement.position() + " of " + count;
        String point = fault.isAfter() ? "after " : "before ";
        return switch (statement.kind()) {
            case APPLICATION -> point + "statement " + position + " (" + statement.summary() + ")";
            case LIBRARY -> point + "the library's statement " + position + " (" + statement.summary() + ")";
            case COMMIT -> point + (count == 1 ? "COMMIT" : "COMMIT " + position);
        };
    }

    /** With a method as their source, Maven would call all tests of a scenario by the same name and a number. */
    private DynamicTest test(String name, Executable body) {
        return DynamicTest.dynamicTest(
                scenario.getName() + ": " + name, report.file().toUri(), () -> {
                    found = null;
                    try {
                        body.execute();
                        report.add(name, Verdict.OK, "");
                    } catch (TestAbortedException skipped) {
                        report.add(name, Verdict.SKIPPED, String.valueOf(skipped.getMessage()));
                        throw skipped;
                    } catch (Throwable wrong) {
                        isHopeless |= name.equals(CLEAN_RUN) || name.equals(REPEAT);
                        String message =
                                wrong instanceof AssertionError ? String.valueOf(wrong.getMessage()) : wrong.toString();
                        String cause = found == null ? wrong.toString() : found.cause();
                        String told = causes.putIfAbsent(cause, name);
                        if (told != null) {
                            report.add(name, Verdict.SKIPPED, "The cause is told above, at '" + told + "': " + message);
                            throw new TestAbortedException(
                                    "It fails for the reason that the test '" + told + "' has told");
                        }
                        report.add(name, Verdict.WRONG, message);
                        throw wrong;
                    }
                });
    }

    private Run cleanRun(ScenarioRunner.Calls calls) throws Exception {
        Run run = opened().runner().run(null, 1, false, calls);
        if (run.unanswered()) {
            throw new AssertionError(
                    scenario.getName() + " fails without a fault: "
                            + run.failures().get(0),
                    run.failures().get(0));
        }
        return run;
    }

    private Baseline baseline() throws Exception {
        Baseline known = baseline;
        if (known != null) {
            return known;
        }
        Instance first = opened().first();
        Instance second = opened().second();
        // They fill caches, of the application and of the driver, and the library asks first for a key that was
        // repeated: from now on all runs send the same statements.
        cleanRun(callers -> {
            callers.call(second, second);
            callers.call(first, first);
        });
        // What belongs to an instance or a thread differs, as times and random values do.
        Run other = cleanRun(callers -> callers.callAtOnce(List.of(second)));
        // Nor do connections and equal numbers of two sequences stay the same.
        opened().databases().moveOn(other);
        awaitAnotherSecond();
        cleanRun(callers -> callers.call(first, first));
        IdempotencyScenario annotation =
                AnnotatedElementUtils.findMergedAnnotation(scenario, IdempotencyScenario.class);
        Baseline found = new Baseline(
                other,
                cleanRun(callers -> callers.call(first, first)),
                annotation == null ? Set.of() : Set.of(annotation.ignoreColumns()),
                opened().databases().librarySchema());
        report.baseline(found);
        if (!found.differencesOfBoth().isEmpty()) {
            throw new AssertionError(scenario.getName()
                    + " does not always do the same: two runs without a fault, one of them on a second instance of the"
                    + " application, wrote different rows\n" + Judge.lines(found.differencesOfBoth()));
        }
        if (found.hasNoEffect()) {
            throw new AssertionError(scenario.getName()
                    + " proves nothing: without a fault it commits no change of a row, and no EffectProbe saw anything."
                    + " Its key may be in the database already, or be remembered in memory; tables that are unlogged or in"
                    + " ignoreColumns are not seen");
        }
        baseline = found;
        return found;
    }

    /** Or a time of whole seconds would be the same in both runs, and another one later. */
    private static void awaitAnotherSecond() {
        long end = System.nanoTime() + 1_000_000_000L;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    /** Runs the scenario and repeats it, and compares the run with those without a fault. */
    private Run prove(String when, @Nullable Strike strike, int atOnce, ScenarioRunner.Calls calls) throws Exception {
        Baseline usual = baseline();
        Run run = opened().runner().run(strike, atOnce, true, calls);
        report(new Judge(usual, opened().databases().writers(), when, run).findWrong());
        return run;
    }

    private void report(Optional<Finding> finding) {
        finding.ifPresent(wrong -> {
            found = wrong;
            throw wrong.failure(scenario.getName() + ": " + wrong.text() + "\n  See " + report.file());
        });
    }

    private Opened opened() throws Exception {
        Opened known = opened;
        if (known != null) {
            return known;
        }
        Class<?> testClass = test.getClass();
        if (AnnotatedElementUtils.hasAnnotation(testClass, Transactional.class)) {
            throw new IllegalStateException(testClass.getName()
                    + " is @Transactional: nothing would be committed, so that nothing could be compared. Remove the"
                    + " annotation; each run is undone anyway");
        }
        Instance first = new Instance(context, test, scenario);
        // Before the rows are saved, because what an application does when it starts is no effect of the scenario.
        Instance second = Instance.another(testClass, secondContext(), scenario);
        Databases databases = Databases.open(context);
        Opened all = new Opened(
                databases,
                first,
                second,
                new ScenarioRunner(first, second, databases, new Answers(context), report::add),
                ExpectedLogs.silence());
        opened = all;
        return all;
    }

    private ApplicationContext secondContext() {
        try {
            return context.getBean(SecondInstance.class).get();
        } catch (Exception e) {
            throw new IllegalStateException(
                    "A second instance of the application does not start beside the first one. Let the test's properties"
                            + " give it what two cannot share, such as a port",
                    e);
        }
    }

    private void close() {
        try {
            report.write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (opened != null) {
                opened.logs().restore();
                opened.databases().close();
            }
        }
    }
}
