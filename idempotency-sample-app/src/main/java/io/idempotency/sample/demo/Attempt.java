package io.idempotency.sample.demo;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import io.idempotency.Outcome;

/** One request of a run; it is known to the thread that sends it and to the one that serves it. */
class Attempt {

    /** Marks its request. */
    static final String HEADER = "Sample-Attempt";

    private final Run run;

    private final int number;

    private final AtomicInteger repeats = new AtomicInteger();

    private volatile @Nullable Outcome outcome;

    private volatile @Nullable Double arrived;

    private volatile @Nullable Double began;

    private final List<Execution> executions = new CopyOnWriteArrayList<>();

    private volatile @Nullable Double completed;

    Attempt(Run run, int number) {
        this.run = run;
        this.number = number;
    }

    Run run() {
        return run;
    }

    int number() {
        return number;
    }

    String header() {
        return run.id() + "/" + number;
    }

    void arrived() {
        arrived = run.millisecondsSinceStart();
    }

    /** From the start of the run. */
    double methodStarted() {
        double now = run.millisecondsSinceStart();
        if (began == null) {
            began = now;
        }
        return now;
    }

    void methodEnded(double started, boolean completed) {
        executions.add(new Execution(started, run.millisecondsSinceStart(), completed));
    }

    void completed(Outcome outcome) {
        this.outcome = outcome;
        completed = run.millisecondsSinceStart();
    }

    void repeated() {
        repeats.incrementAndGet();
    }

    /** The library's name of what the call met; {@code null} if there was none. */
    @Nullable String outcome() {
        Outcome known = outcome;
        return known == null ? null : known.tag();
    }

    /** More than one if the method was repeated inside of the call. */
    List<Execution> executions() {
        return List.copyOf(executions);
    }

    /** The attempts of the run that held the key after this one had come, and before its own method ran or it was over. */
    List<Integer> waitedFor() {
        Double from = arrived;
        Double ran = began;
        Double over = completed;
        if (from == null || over == null) {
            return List.of();
        }
        double to = ran == null ? over : ran;
        return run.attempts().stream()
                .filter(other -> other != this && other.heldKey(from, to))
                .map(Attempt::number)
                .toList();
    }

    private boolean heldKey(double from, double to) {
        Double first = began;
        Double last = completed;
        return first != null && first < to && (last == null || last > from);
    }

    /** How often its method was run again inside of the same call. */
    int repeats() {
        return repeats.get();
    }
}
