package io.idempotency.proof;

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

    Run run(@Nullable Strike strike, int atOnce, Calls calls) throws Exception {
        ObservedCalls.INSTANCE.reset();
        EffectProbe.INSTANCE.takeSightings();
        Map<String, Long> before = databases.sequences();
        long start = System.nanoTime();
        StatementRecorder recorder = new StatementRecorder(strike, atOnce, databases::terminate);
        Callers callers = new Callers(recorder, databases, answers);
        List<Change> changes;
        try {
            recorder.start();
            calls.make(callers);
            first.awaitIdle();
            second.awaitIdle();
        } finally {
            StatementRecorder.stop();
            Thread.interrupted();
            changes = databases.takeAndUndo();
        }
        Run run = new Run(
                strike,
                recorder.hasStruck(),
                recorder.statements(),
                changes,
                callers.answers(),
                callers.failures(),
                callers.isUnanswered(),
                EffectProbe.INSTANCE.takeSightings(),
                ObservedCalls.INSTANCE.keys(),
                ObservedCalls.INSTANCE.isPayloadRefused(),
                numbersSince(before),
                (System.nanoTime() - start) / 1_000_000);
        finished.accept(run);
        return run;
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
