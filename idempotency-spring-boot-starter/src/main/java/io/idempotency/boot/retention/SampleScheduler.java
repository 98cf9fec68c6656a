package io.idempotency.boot.retention;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.internal.retention.Sampler;

/** The loop of samples of the tables. */
final class SampleScheduler extends BackgroundLoop {

    private final List<Sampler> samplers;

    private final Trigger trigger;

    SampleScheduler(List<Sampler> samplers, Duration interval) {
        super("idempotency-sample-1");
        this.samplers = List.copyOf(samplers);
        this.trigger = Triggers.every(interval);
    }

    @Override
    protected void round() {
        samplers.forEach(Sampler::sample);
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
