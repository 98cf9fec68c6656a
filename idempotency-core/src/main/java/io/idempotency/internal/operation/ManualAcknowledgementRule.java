package io.idempotency.internal.operation;

import java.lang.reflect.Method;

import org.springframework.core.ResolvableType;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule against parameters with which a method acknowledges its message itself. It does not run for a duplicate, so that
 * nothing would acknowledge that, and it runs before the COMMIT, so that a message whose COMMIT fails would be lost.
 */
final class ManualAcknowledgementRule implements OperationRule {

    private static final NamedTypes ACKNOWLEDGING = new NamedTypes(
            "com.azure.spring.messaging.checkpoint.Checkpointer",
            "com.google.cloud.spring.pubsub.support.AcknowledgeablePubsubMessage",
            "com.google.cloud.spring.pubsub.support.BasicAcknowledgeablePubsubMessage",
            "com.rabbitmq.client.Channel",
            "com.rabbitmq.stream.MessageHandler$Context",
            "io.awspring.cloud.sqs.listener.acknowledgement.Acknowledgement",
            "io.awspring.cloud.sqs.listener.acknowledgement.BatchAcknowledgement",
            "jakarta.jms.Session",
            "org.apache.kafka.clients.consumer.Consumer",
            "org.apache.pulsar.client.api.Consumer",
            "org.springframework.amqp.core.AmqpAcknowledgment",
            "org.springframework.integration.acks.SimpleAcknowledgment",
            "org.springframework.kafka.support.Acknowledgment",
            "org.springframework.pulsar.listener.Acknowledgement");

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        Method method = operation.method();
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (ACKNOWLEDGING.areIn(ResolvableType.forMethodParameter(method, i, targetClass))) {
                throw new InvalidIdempotentMethodException(
                        "The idempotent method " + operation.describe() + " has a parameter of type "
                                + method.getGenericParameterTypes()[i].getTypeName()
                                + ", with which it could acknowledge its message: it would do so before the COMMIT, and not"
                                + " at all for a duplicate, for which it does not run.",
                        "Remove the parameter, and let the listener container acknowledge (Kafka: AckMode RECORD or BATCH;"
                                + " RabbitMQ: AcknowledgeMode AUTO; JMS: a transacted session). If that is not possible, let a"
                                + " listener method without " + operation.annotation()
                                + " call this method of another bean, and acknowledge when the call has returned.");
            }
        }
    }
}
