package io.idempotency.sample.demo;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/** Attempts that are made at once. */
class Run {

    private static final double NANOS_PER_MILLISECOND = 1_000_000.0;

    private final UUID id = UUID.randomUUID();

    private final long started = System.nanoTime();

    private final AtomicBoolean armed;

    private final RunRequest request;

    private final List<Attempt> attempts;

    Run(RunRequest request) {
        this.request = request;
        this.armed = new AtomicBoolean(request.fault() != Fault.NONE);
        this.attempts = IntStream.rangeClosed(1, request.attempts())
                .mapToObj(number -> new Attempt(this, number))
                .toList();
    }

    UUID id() {
        return id;
    }

    RunRequest request() {
        return request;
    }

    List<Attempt> attempts() {
        return attempts;
    }

    double millisecondsSinceStart() {
        return (System.nanoTime() - started) / NANOS_PER_MILLISECOND;
    }

    /** The fault for whoever asks first; none for all others, so that a repeat succeeds. */
    Fault takeFault() {
        return armed.compareAndSet(true, false) ? request.fault() : Fault.NONE;
    }
}
