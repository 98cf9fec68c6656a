package io.idempotency.boot.rabbit;

import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.UncategorizedAmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

/**
 * The sender of messages to the RabbitMQ exchange of their topic, as persistent messages with the payload's JSON as body. A
 * message counts as sent when the broker has confirmed it and has put it into a queue.
 *
 * @see <a href="https://www.rabbitmq.com/docs/confirms#publisher-confirms">Publisher confirms</a>
 */
final class RabbitSender implements OutboxSender, DisposableBean {

    private static final String ORDERING_KEY = "ordering-key";

    private final IdempotencyRabbitProperties properties;

    private final CachingConnectionFactory connections;

    private final RabbitTemplate template;

    private final PublisherConnection connection = new PublisherConnection();

    /** A broker that reads no more keeps the publishing thread in its socket, and that must not be the relay's. */
    private final ExecutorService publisher =
            Executors.newSingleThreadExecutor(new CustomizableThreadFactory("idempotency-rabbit-"));

    /** The last failure to open a connection; null if there was none. */
    private volatile @Nullable SenderUnavailableException unreachable;

    /**
     * Creates the sender.
     *
     * @param connections a factory of connections of its own, which is told to have messages confirmed and returned
     */
    RabbitSender(CachingConnectionFactory connections, IdempotencyRabbitProperties properties) {
        this.properties = properties;
        this.connections = connections;
        // One connection: with several, only the state of the newest one would be seen.
        connections.setCacheMode(CachingConnectionFactory.CacheMode.CHANNEL);
        connections.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.CORRELATED);
        connections.setPublisherReturns(true);
        connections.addConnectionListener(connection);
        template = new RabbitTemplate(connections);
        template.setMandatory(true);
        // The relay reports failures. Without a callback each return would be logged as well.
        template.setReturnsCallback(returned -> {});
    }

    @Override
    public CompletionStage<Void> send(OutboxRecord message) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        SenderUnavailableException known = unreachable;
        publisher.execute(() -> {
            // The relay may have given it up meanwhile.
            if (!result.isDone()) {
                try {
                    requireNoOutageSince(known);
                    publish(message, result);
                } catch (RuntimeException failure) {
                    result.completeExceptionally(classified(failure));
                }
            }
        });
        return result;
    }

    /** A broker may be silent until a timeout. If each message waited for it, the relay would give up the last ones itself. */
    private void requireNoOutageSince(@Nullable SenderUnavailableException known) {
        SenderUnavailableException latest = unreachable;
        if (latest != null && latest != known) {
            throw latest;
        }
    }

    /** Returns the channels that are kept open, because each message that is not confirmed yet has one for itself. */
    @Override
    public int concurrency() {
        return connections.getChannelCacheSize();
    }

    @Override
    public void destroy() {
        publisher.shutdownNow();
        connections.destroy();
    }

    private void publish(OutboxRecord message, CompletableFuture<Void> result) {
        String reason = connection.blockedBecause();
        if (reason != null) {
            throw new SenderUnavailableException("RabbitMQ has blocked the connection: " + reason, null);
        }
        CorrelationData correlation = new CorrelationData(message.id().toString());
        template.send(
                properties.exchangeOf(message.topic()),
                properties.routingKeyOf(message.topic()),
                amqpMessage(message),
                correlation);
        PublisherConnection.State used = connection.state();
        CompletionStage<CorrelationData.Confirm> confirmation = correlation.getFuture();
        confirmation.whenComplete((confirm, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (confirm.ack()) {
                completeConfirmed(message, correlation.getReturned(), result);
            } else {
                result.completeExceptionally(refusal(message, confirm.reason(), used));
            }
        });
    }

    private void completeConfirmed(
            OutboxRecord message, @Nullable ReturnedMessage returned, CompletableFuture<Void> result) {
        if (returned == null) {
            result.complete(null);
        } else {
            result.completeExceptionally(new IllegalStateException("RabbitMQ has no queue for the " + place(message)
                    + ": " + returned.getReplyText() + ". Bind a queue to the exchange"));
        }
    }

    private RuntimeException refusal(OutboxRecord message, @Nullable String reason, PublisherConnection.State used) {
        if (!used.isOpen()) {
            return new SenderUnavailableException(
                    "The connection to RabbitMQ was lost before the " + message + " was confirmed: " + reason, null);
        }
        return new IllegalStateException("RabbitMQ has not taken the " + place(message)
                + (reason == null
                        ? ": the broker refused it, for example because a queue is full"
                        : ": " + reason + ". Does the exchange exist?"));
    }

    /** Distinguishes failures of a message, such as a header that is too long, from an outage of the broker. */
    private RuntimeException classified(RuntimeException failure) {
        boolean isOutage = failure instanceof ShutdownSignalException
                || (failure instanceof AmqpException && !(failure instanceof UncategorizedAmqpException));
        if (!isOutage) {
            return failure;
        }
        SenderUnavailableException outage =
                new SenderUnavailableException("RabbitMQ does not take messages: " + failure.getMessage(), failure);
        if (!connection.state().isOpen()) {
            unreachable = outage;
        }
        return outage;
    }

    private String place(OutboxRecord message) {
        return message + ", sent to the exchange '" + properties.exchangeOf(message.topic())
                + "' with the routing key '" + properties.routingKeyOf(message.topic()) + "'";
    }

    private static Message amqpMessage(OutboxRecord message) {
        MessageProperties properties = new MessageProperties();
        properties.setDeliveryMode(MessageDeliveryMode.PERSISTENT);
        properties.setMessageId(message.id().toString());
        properties.setType(message.type());
        properties.setTimestamp(Date.from(message.createdAt()));
        message.headers().forEach(properties::setHeader);
        if (message.orderingKey() != null) {
            properties.setHeader(ORDERING_KEY, message.orderingKey());
        }
        if (message.payload() == null) {
            return new Message(new byte[0], properties);
        }
        properties.setContentType(MessageProperties.CONTENT_TYPE_JSON);
        properties.setContentEncoding(StandardCharsets.UTF_8.name());
        return new Message(message.payload().getBytes(StandardCharsets.UTF_8), properties);
    }
}
