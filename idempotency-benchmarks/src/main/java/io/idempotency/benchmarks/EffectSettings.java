package io.idempotency.benchmarks;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** What a benchmark changes in the effect of one contender, and learns from it. */
final class EffectSettings {

    private volatile Duration pause = Duration.ZERO;

    private volatile int responseBytes = Receipt.USUAL_BYTES;

    private volatile boolean batched;

    private volatile @Nullable Thread lastExecutor;

    Duration pause() {
        return pause;
    }

    /** Lets the effect take that long in addition. */
    void pause(Duration duration) {
        pause = duration;
    }

    int responseBytes() {
        return responseBytes;
    }

    void responseBytes(int bytes) {
        responseBytes = bytes;
    }

    boolean batched() {
        return batched;
    }

    /** Lets the effects of a batch of messages be batches of the driver, and not two statements for each. */
    void batched(boolean byDriver) {
        batched = byDriver;
    }

    /** Who made an effect last. */
    @Nullable Thread lastExecutor() {
        return lastExecutor;
    }

    void executed() {
        lastExecutor = Thread.currentThread();
    }
}
