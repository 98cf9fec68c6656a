package io.idempotency.boot.rabbit;

import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionListener;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

/**
 * The sender of messages to the RabbitMQ exchange of their topic, as persistent messages with the payload's JSON as body. A
 * message counts as sent when the broker has confirmed it and has put it into a queue.
 *
 * @see <a href="https://www.rabbitmq.com/docs/confirms#publisher-confirms">Publisher confirms</a>
 */
final class RabbitSender implements OutboxSender {

    private static final String ORDERING_KEY = "ordering-key";

    private final IdempotencyRabbitProperties properties;

    private final CachingConnectionFactory connections;

    private final RabbitTemplate template;

    private final BlockedConnection blocked = new BlockedConnection();

    /**
     * Creates the sender.
     *
     * @param connections the factory of connections that publish, which is told to have messages confirmed and returned
     * @param properties the exchanges and routing keys
     */
    RabbitSender(CachingConnectionFactory connections, IdempotencyRabbitProperties properties) {
        this.properties = properties;
        this.connections = connections;
        connections.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.CORRELATED);
        connections.setPublisherReturns(true);
        connections.addConnectionListener(blocked);
        template = new RabbitTemplate(connections);
        template.setMandatory(true);
        // The relay reports failures. Without a callback each return would be logged as well.
        template.setReturnsCallback(returned -> {});
    }

    @Override
    public CompletionStage<Void> send(OutboxRecord message) {
        String reason = blocked.reason;
        if (reason != null) {
            return CompletableFuture.failedFuture(
                    new SenderUnavailableException("RabbitMQ has blocked the connection: " + reason, null));
        }
        CorrelationData correlation = new CorrelationData(message.id().toString());
        try {
            template.send(
                    properties.exchangeOf(message.topic()),
                    properties.routingKeyOf(message.topic()),
                    amqpMessage(message),
                    correlation);
        } catch (AmqpException unavailable) {
            return CompletableFuture.failedFuture(new SenderUnavailableException(
                    "RabbitMQ does not take messages: " + unavailable.getMessage(), unavailable));
        }
        return correlation.getFuture().thenAccept(confirm -> {
            if (!confirm.ack()) {
                throw new IllegalStateException("RabbitMQ has not taken the " + place(message) + ": " + confirm.reason()
                        + ". Does the exchange exist?");
            }
            ReturnedMessage returned = correlation.getReturned();
            if (returned != null) {
                throw new IllegalStateException("RabbitMQ has no queue for the " + place(message) + ": "
                        + returned.getReplyText() + ". Bind a queue to the exchange");
            }
        });
    }

    /** Returns the channels that are kept open, because each message that is not confirmed yet has one for itself. */
    @Override
    public int concurrency() {
        return connections.getChannelCacheSize();
    }

    private static Message amqpMessage(OutboxRecord message) {
        MessageProperties properties = new MessageProperties();
        properties.setContentType(MessageProperties.CONTENT_TYPE_JSON);
        properties.setContentEncoding(StandardCharsets.UTF_8.name());
        properties.setDeliveryMode(MessageDeliveryMode.PERSISTENT);
        properties.setMessageId(message.id().toString());
        properties.setType(message.type());
        properties.setTimestamp(Date.from(message.createdAt()));
        message.headers().forEach(properties::setHeader);
        if (message.orderingKey() != null) {
            properties.setHeader(ORDERING_KEY, message.orderingKey());
        }
        return new Message(message.payload().getBytes(StandardCharsets.UTF_8), properties);
    }

    private String place(OutboxRecord message) {
        return message + ", sent to the exchange '" + properties.exchangeOf(message.topic())
                + "' with the routing key '" + properties.routingKeyOf(message.topic()) + "'";
    }

    /**
     * Knows whether the broker has stopped to read from the connection because it is out of memory or disk. A message that is sent
     * meanwhile would keep the relay's thread in the socket.
     *
     * @see <a href="https://www.rabbitmq.com/docs/connection-blocked">Blocked connections</a>
     */
    private static final class BlockedConnection implements ConnectionListener, BlockedListener {

        private volatile @Nullable String reason;

        @Override
        public void onCreate(@Nullable Connection connection) {
            if (connection != null) {
                connection.addBlockedListener(this);
            }
        }

        @Override
        public void onShutDown(ShutdownSignalException signal) {
            reason = null;
        }

        @Override
        public void handleBlocked(String reason) {
            this.reason = reason;
        }

        @Override
        public void handleUnblocked() {
            reason = null;
        }
    }
}
