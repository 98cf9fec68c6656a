package io.idempotency.boot.retention;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.retention.StorageSampler;

/** The scheduler of samples of the tables. Only the first of consecutive failures is reported. */
final class SampleScheduler extends BackgroundTask {

    private static final Logger logger = LoggerFactory.getLogger(SampleScheduler.class);

    private final StorageSampler sampler;

    private boolean failing;

    SampleScheduler(StorageSampler sampler, Duration interval) {
        super("idempotency-sample-", Triggers.every(interval));
        this.sampler = sampler;
    }

    @Override
    void run() {
        try {
            sampler.sample();
            failing = false;
        } catch (DataAccessException | TransactionException failure) {
            if (!failing && isRunning()) {
                logger.warn("The idempotency tables could not be sampled for metrics; it is tried again", failure);
            }
            failing = true;
        }
    }
}
