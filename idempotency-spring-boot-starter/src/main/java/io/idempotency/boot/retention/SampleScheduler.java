package io.idempotency.boot.retention;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.internal.retention.StorageSampler;

/** The loop of samples of the tables. */
final class SampleScheduler extends BackgroundLoop {

    private final StorageSampler sampler;

    private final Trigger trigger;

    SampleScheduler(StorageSampler sampler, Duration interval) {
        super("idempotency-sample-1");
        this.sampler = sampler;
        this.trigger = Triggers.every(interval);
    }

    @Override
    protected void round() {
        sampler.sample();
    }

    @Override
    protected @Nullable Instant nextRound(TriggerContext context, int failures) {
        return trigger.nextExecution(context);
    }

    @Override
    protected String describe(Throwable failure) {
        return "The idempotency tables could not be sampled for metrics; it is tried again";
    }
}
