package io.idempotency.proof;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.idempotency.proof.StatementRecorder.Strike;

/** Runs a scenario, collects all that is known of the run, and undoes what it did. */
final class ScenarioRunner {

    private final Instance first;

    private final Instance second;

    private final Databases databases;

    private final Answers answers;

    private final Consumer<Run> finished;

    ScenarioRunner(Instance first, Instance second, Databases databases, Answers answers, Consumer<Run> finished) {
        this.first = first;
        this.second = second;
        this.databases = databases;
        this.answers = answers;
        this.finished = finished;
    }

    /** The calls of a run. */
    @FunctionalInterface
    interface Calls {

        void make(Callers callers) throws Exception;
    }

    /**
     * Runs it.
     *
     * @param strike the fault; {@code null} for none
     * @param atOnce number of threads that call
     * @param isRepeated whether it is called once more when all have their answers
     * @param calls the calls
     */
    Run run(@Nullable Strike strike, int atOnce, boolean isRepeated, Calls calls) throws Exception {
        ObservedCalls.INSTANCE.reset();
        EffectProbe.INSTANCE.takeSightings();
        Map<String, Long> before = databases.sequences();
        long start = System.nanoTime();
        StatementRecorder recorder = new StatementRecorder(strike, atOnce, databases);
        Callers callers = new Callers(recorder, databases, answers);
        List<Change> answered = new ArrayList<>();
        List<Change> repeated = new ArrayList<>();
        try {
            recorder.start();
            calls.make(callers);
            awaitIdle();
            answered.addAll(databases.take());
            if (isRepeated && !callers.isUnanswered()) {
                callers.call(first, first);
                awaitIdle();
            }
        } finally {
            StatementRecorder.stop();
            Thread.interrupted();
            repeated.addAll(databases.take());
            databases.undo();
        }
        Run run = new Run(
                strike,
                recorder.hasStruck(),
                recorder.statements(),
                recorder.transactions(),
                answered,
                repeated,
                callers.answers(),
                callers.failures(),
                callers.isUnanswered(),
                EffectProbe.INSTANCE.takeSightings(),
                ObservedCalls.INSTANCE.keys(),
                ObservedCalls.INSTANCE.isPayloadRefused(),
                ObservedCalls.INSTANCE.hasFinalFailure(),
                numbersSince(before),
                (System.nanoTime() - start) / 1_000_000);
        finished.accept(run);
        return run;
    }

    private void awaitIdle() {
        first.awaitIdle();
        second.awaitIdle();
    }

    private Map<String, Numbers> numbersSince(Map<String, Long> before) {
        Map<String, Numbers> advanced = new LinkedHashMap<>();
        databases.sequences().forEach((sequence, last) -> {
            long first = before.getOrDefault(sequence, 0L);
            if (last > first) {
                advanced.put(sequence, new Numbers(first + 1, last));
            }
        });
        return advanced;
    }
}
