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
        batch.deliveries().forEach(delivery -> announce(delivery, batch));
        if (batch.deliveries().isEmpty()) {
            return Round.NOTHING_DUE;
        }
        boolean outage = isOutage(batch.deliveries());
        return outage ? new Round(false, batch.deliveries().get(0).retryAfter()) : new Round(true, Duration.ZERO);
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

    private List<Delivery> send(List<OutboxRecord> messages) {
        List<BatchSending.Attempt> attempts =
                new BatchSending(sender, settings.sendTimeout(), () -> stopped).send(messages);
        boolean anySent = attempts.stream().anyMatch(attempt -> attempt.failure() == null);
        List<Delivery> deliveries = new ArrayList<>(attempts.size());
        boolean anyCounted = anySent;
        for (BatchSending.Attempt attempt : attempts) {
            Delivery delivery = judge(attempt, anySent);
            anyCounted |= delivery.result() != Delivery.Result.NOT_COUNTED;
            deliveries.add(delivery);
        }
        if (anyCounted) {
            outages = 0;
        }
        return deliveries;
    }

    private Delivery judge(BatchSending.Attempt attempt, boolean anySent) {
        OutboxRecord message = attempt.message();
        Throwable failure = attempt.failure();
        if (failure == null) {
            return new Delivery(message, Delivery.Result.SENT, Duration.ZERO, null);
        }
        if (failure instanceof SenderUnavailableException && !anySent) {
            return new Delivery(message, Delivery.Result.NOT_COUNTED, outageBackoff.after(outages + 1), failure);
        }
        if (message.attempt() >= settings.maxAttempts()) {
            return new Delivery(message, Delivery.Result.DEAD, Duration.ZERO, failure);
        }
        return new Delivery(message, Delivery.Result.FAILED, settings.backoff().after(message.attempt()), failure);
    }

    private boolean isOutage(List<Delivery> deliveries) {
        boolean outage = deliveries.stream().allMatch(delivery -> delivery.result() == Delivery.Result.NOT_COUNTED);
        if (outage) {
            outages++;
            logger.warn(
                    "No message of the outbox can be sent; the next attempt is in {}",
                    deliveries.get(0).retryAfter(),
                    deliveries.get(0).failure());
        }
        return outage;
    }

    private void announce(Delivery delivery, OutboxStore.SentBatch batch) {
        OutboxRecord message = delivery.message();
        Throwable failure = delivery.failure();
        if (failure == null) {
            listener.messageSent(new MessageSent(
                    message.id(),
                    message.topic(),
                    message.type(),
                    message.attempt(),
                    Duration.between(message.dueAt(), batch.at())));
            return;
        }
        boolean dead = delivery.result() == Delivery.Result.DEAD;
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
