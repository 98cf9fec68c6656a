package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageSendFailed;
import io.idempotency.observation.MessageSent;
import io.idempotency.observation.OutboxSampled;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

/** Sends what is due, a batch at a time. Any number of relays may work on one database; each is used by one thread. */
public final class OutboxRelay {

    private static final Logger logger = LoggerFactory.getLogger(OutboxRelay.class);

    /** Further messages that wait are not counted. */
    private static final int SAMPLE_LIMIT = 100_000;

    /** How long what is sent nowhere else may wait when whatever was out is back. */
    private static final Duration LONGEST_OUTAGE_PAUSE = Duration.ofMinutes(1);

    private final OutboxStore store;

    private final OutboxSender sender;

    private final RelaySettings settings;

    private final Backoff outageBackoff;

    private final IdempotencyListener listener;

    private volatile boolean stopped;

    private int outages;

    /**
     * Creates the relay.
     *
     * @param store where messages wait
     * @param sender sends them
     * @param settings how
     * @param listener told what was sent and what was not
     */
    public OutboxRelay(OutboxStore store, OutboxSender sender, RelaySettings settings, IdempotencyListener listener) {
        this.store = store;
        this.sender = sender;
        this.settings = settings;
        this.outageBackoff = settings.backoff().atMost(LONGEST_OUTAGE_PAUSE);
        this.listener = listener;
    }

    /**
     * Sends a batch.
     *
     * @return when to send the next one
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports anything; what was sent is sent again
     * @throws org.springframework.transaction.TransactionException if there is no connection, or its commit fails; as
     *     before
     */
    public Round sendBatch() {
        OutboxStore.SentBatch batch = store.send(settings.batchSize(), settings.transactionBound(), this::send);
        batch.results().forEach(result -> announce(result, batch));
        if (batch.results().isEmpty()) {
            return Round.NOTHING_DUE;
        }
        boolean outage = isOutage(batch.results());
        return outage ? new Round(false, batch.results().get(0).retryAfter()) : new Round(true, Duration.ZERO);
    }

    /** Begins with no further message; those that are on their way are waited for, and kept as sent. */
    public void stop() {
        stopped = true;
    }

    /** Sends again after it was stopped. */
    public void restart() {
        stopped = false;
    }

    /** Tells the listener what waits. */
    public void sample() {
        OutboxStore.Backlog backlog = store.backlog(SAMPLE_LIMIT);
        listener.outboxSampled(new OutboxSampled(backlog.pending(), backlog.dead(), backlog.oldest()));
    }

    private List<SendResult> send(List<OutboxRecord> messages) {
        List<BatchSender.Attempt> attempts =
                new BatchSender(sender, settings.sendTimeout(), () -> stopped).send(messages);
        boolean anySent = attempts.stream().anyMatch(attempt -> attempt.failure() == null);
        List<SendResult> results = new ArrayList<>(attempts.size());
        boolean anyCounted = anySent;
        for (BatchSender.Attempt attempt : attempts) {
            SendResult result = judge(attempt, anySent);
            anyCounted |= result.status() != SendResult.Status.NOT_COUNTED;
            results.add(result);
        }
        if (anyCounted) {
            outages = 0;
        }
        return results;
    }

    private SendResult judge(BatchSender.Attempt attempt, boolean anySent) {
        OutboxRecord message = attempt.message();
        Throwable failure = attempt.failure();
        if (failure == null) {
            return new SendResult(message, SendResult.Status.SENT, Duration.ZERO, null);
        }
        if (failure instanceof SenderUnavailableException && !anySent) {
            return new SendResult(message, SendResult.Status.NOT_COUNTED, outageBackoff.after(outages + 1), failure);
        }
        if (message.attempt() >= settings.maxAttempts()) {
            return new SendResult(message, SendResult.Status.DEAD, Duration.ZERO, failure);
        }
        return new SendResult(
                message, SendResult.Status.FAILED, settings.backoff().after(message.attempt()), failure);
    }

    private boolean isOutage(List<SendResult> results) {
        boolean outage = results.stream().allMatch(result -> result.status() == SendResult.Status.NOT_COUNTED);
        if (outage) {
            outages++;
            logger.warn(
                    "No message of the outbox can be sent; the next attempt is in {}",
                    results.get(0).retryAfter(),
                    results.get(0).failure());
        }
        return outage;
    }

    private void announce(SendResult result, OutboxStore.SentBatch batch) {
        OutboxRecord message = result.message();
        Throwable failure = result.failure();
        if (failure == null) {
            listener.messageSent(new MessageSent(
                    message.id(),
                    message.topic(),
                    message.type(),
                    message.attempt(),
                    Duration.between(message.dueAt(), batch.at())));
            return;
        }
        boolean dead = result.status() == SendResult.Status.DEAD;
        listener.messageSendFailed(
                new MessageSendFailed(message.id(), message.topic(), message.type(), message.attempt(), dead, failure));
    }

    /**
     * When to send the next batch.
     *
     * @param more whether to look for more at once
     * @param pause how long to send nothing, because nothing can be sent; zero if that is not so
     */
    public record Round(boolean more, Duration pause) {

        static final Round NOTHING_DUE = new Round(false, Duration.ZERO);
    }
}
