package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.internal.backoff.Backoff;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

import static java.util.Objects.requireNonNull;

/**
 * Sends due messages, a batch at a time. Any number of relays may work on one database. A relay is for use by one thread; only
 * {@link #stop()} and {@link #restart()} may be called by another.
 */
public final class OutboxRelay {

    /** Named by feature so that its level can be set. */
    private static final Logger logger = LoggerFactory.getLogger("io.idempotency.outbox");

    /** The largest number of waiting messages that is counted. */
    private static final int SAMPLE_LIMIT = 100_000;

    /** The longest time that messages may wait after an outage has ended. */
    private static final Duration LONGEST_OUTAGE_PAUSE = Duration.ofMinutes(1);

    private static final String OWNERS =
            "the application that the topic belongs to in the table owner: if that was renamed, or"
                    + " this one is to send its messages, give both the same idempotency.application";

    private final OutboxStore store;

    private final OutboxSender sender;

    private final RelaySettings settings;

    private final Backoff outageBackoff;

    private final MessagingListener listener;

    private final OtherVersions otherVersions;

    /** The topics that are left to others, each of which is logged once. */
    private final Set<String> leftTopics = new HashSet<>();

    private volatile boolean stopped;

    private int outages;

    public OutboxRelay(OutboxStore store, OutboxSender sender, RelaySettings settings, MessagingListener listener) {
        this.store = store;
        this.sender = sender;
        this.settings = settings;
        this.outageBackoff = settings.backoff().atMost(LONGEST_OUTAGE_PAUSE);
        this.listener = listener;
        this.otherVersions = new OtherVersions(
                settings.backoff(),
                logger,
                "delete it. After " + OtherVersions.PATIENCE.toHours() + " hour each try is an attempt");
    }

    /**
     * Sends a batch.
     *
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports an error; the batch is sent again
     * @throws org.springframework.transaction.TransactionException if there is no connection, or the commit fails; the batch
     *     is sent again
     */
    public Round sendBatch() {
        OutboxStore.SentBatch batch =
                store.send(settings.batchSize(), settings.transactionBound(), sender.topics(), this::send);
        batch.results().forEach(result -> publish(result, batch));
        if (batch.results().isEmpty()) {
            return Round.NOTHING_DUE;
        }
        boolean outage = countOutage(batch.results());
        return outage ? new Round(false, batch.results().get(0).retryAfter()) : new Round(true, Duration.ZERO);
    }

    /** Starts no further message. Messages in flight are waited for, and their results are stored. */
    public void stop() {
        stopped = true;
    }

    /** Allows sending again after {@link #stop()}. */
    public void restart() {
        stopped = false;
    }

    /** Gives a sample of the backlog to the listener. Writes a WARN for each topic that is late and that this relay does not send. */
    public void sample() {
        Collection<String> topics = sender.topics();
        OutboxStore.Backlog backlog = sample(store, listener);
        for (String late : backlog.lateTopics()) {
            boolean isOfOther = backlog.topicsOfOthers().contains(late);
            boolean isLeft = isOfOther || (topics != null && !topics.contains(late));
            if (isLeft && !late.startsWith(OutboxMessage.RESERVED_TOPICS) && leftTopics.add(late)) {
                logger.warn(
                        "Messages of the topic '{}' have been due for more than a minute, and this instance leaves them to {}",
                        late,
                        isOfOther ? OWNERS : othersThan(late, topics));
            }
        }
    }

    private static String othersThan(String late, @Nullable Collection<String> topics) {
        return "others: if there are none, declare a method with @OutboxHandler(topic = \"" + late
                + "\"), declare an OutboxSender, or add Kafka or RabbitMQ. The topics that this instance takes are "
                + topics;
    }

    /** Gives a sample of the backlog to a listener, also where no relay runs. */
    public static OutboxStore.Backlog sample(OutboxStore store, MessagingListener listener) {
        OutboxStore.Backlog backlog = store.backlog(SAMPLE_LIMIT);
        listener.outboxSampled(
                new OutboxSampled(backlog.pending(), backlog.dead(), backlog.oldest(), backlog.lateTopics()));
        return backlog;
    }

    private List<SendResult> send(List<OutboxStore.DueMessage> due) {
        Map<UUID, OutboxStore.DueMessage> byId = new HashMap<>();
        due.forEach(taken -> byId.put(taken.message().id(), taken));
        List<BatchSender.SendAttempt> attempts = new BatchSender(
                        sender,
                        message -> requireNonNull(byId.get(message.id())).problem(),
                        settings.sendTimeout(),
                        () -> stopped)
                .send(due.stream().map(OutboxStore.DueMessage::message).toList());
        boolean anySent = attempts.stream().anyMatch(attempt -> attempt.failure() == null);
        List<SendResult> results = new ArrayList<>(attempts.size());
        boolean anyCounted = anySent;
        for (BatchSender.SendAttempt attempt : attempts) {
            SendResult result = resultOf(
                    attempt,
                    anySent,
                    requireNonNull(byId.get(attempt.message().id())).waited());
            anyCounted |= result.status().isCounted();
            results.add(result);
        }
        if (anyCounted) {
            outages = 0;
        }
        return results;
    }

    private SendResult resultOf(BatchSender.SendAttempt attempt, boolean anySent, Duration waited) {
        OutboxRecord message = attempt.message();
        Throwable failure = attempt.failure();
        if (failure == null) {
            return new SendResult(message, SendResult.Status.SENT, Duration.ZERO, null);
        }
        if (failure instanceof SenderUnavailableException && !anySent) {
            return new SendResult(message, SendResult.Status.NOT_COUNTED, outageBackoff.after(outages + 1), failure);
        }
        if (failure instanceof OtherVersionException other && waited.compareTo(OtherVersions.PATIENCE) < 0) {
            Duration pause = otherVersions.leave(message.topic(), waited, other);
            return new SendResult(message, SendResult.Status.LEFT, pause, failure);
        }
        if (message.attempt() >= settings.maxAttempts()) {
            return new SendResult(message, SendResult.Status.DEAD, Duration.ZERO, failure);
        }
        return new SendResult(
                message, SendResult.Status.FAILED, settings.backoff().after(message.attempt()), failure);
    }

    private boolean countOutage(List<SendResult> results) {
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

    private void publish(SendResult result, OutboxStore.SentBatch batch) {
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
        if (result.status() == SendResult.Status.LEFT) {
            return;
        }
        boolean dead = result.status() == SendResult.Status.DEAD;
        listener.messageSendFailed(
                new MessageSendFailed(message.id(), message.topic(), message.type(), message.attempt(), dead, failure));
    }

    /**
     * The time of the next batch.
     *
     * @param more whether to send the next batch without a pause
     * @param pause time for which to send nothing because of an outage; zero if there is none
     */
    public record Round(boolean more, Duration pause) {

        static final Round NOTHING_DUE = new Round(false, Duration.ZERO);
    }
}
