package io.idempotency.boot.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Time that passes only while nobody waits for it. */
final class RecordedPauses implements Timer {

    private final List<Duration> pauses = new ArrayList<>();

    /** It overflows at once, as {@link System#nanoTime} may. */
    private long now = Long.MAX_VALUE;

    List<Duration> all() {
        return pauses;
    }

    void pass(Duration time) {
        now += time.toNanos();
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void pause(Duration pause) {
        pauses.add(pause);
        pass(pause);
    }
}
