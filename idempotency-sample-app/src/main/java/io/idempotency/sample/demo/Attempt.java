package io.idempotency.sample.demo;

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

    void completed(Outcome outcome) {
        this.outcome = outcome;
    }

    void repeated() {
        repeats.incrementAndGet();
    }

    /** The library's name of what the call met; {@code null} if there was none. */
    @Nullable String outcome() {
        Outcome known = outcome;
        return known == null ? null : known.tag();
    }

    /** How often its method was run again inside of the same call. */
    int repeats() {
        return repeats.get();
    }
}
