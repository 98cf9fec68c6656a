package io.idempotency.sample.projections;

import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.converter.RecordMessageConverter;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.util.backoff.ExponentialBackOff;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.sample.accounts.AccountEvent;
import io.idempotency.sample.payments.PaymentAccepted;

/** What the listeners need of Kafka. */
@Configuration(proxyBeanMethods = false)
@Profile("kafka")
class KafkaConfiguration {

    private static final int PARTITIONS = 3;

    @Bean
    NewTopic paymentsTopic() {
        return TopicBuilder.name(PaymentAccepted.TOPIC).partitions(PARTITIONS).build();
    }

    @Bean
    NewTopic accountEventsTopic() {
        return TopicBuilder.name(AccountEvent.TOPIC).partitions(PARTITIONS).build();
    }

    @Bean
    RecordMessageConverter payloadConverter(JsonMapper mapper) {
        return new PayloadConverter(mapper);
    }

    /**
     * Spring's default gives a message up after ten attempts at once, and with it what is made of it. Here a message holds its
     * partition back until it succeeds, but for one that cannot be read, or comes without its id: that is logged and left.
     */
    @Bean
    DefaultErrorHandler untilItSucceeds() {
        ExponentialBackOff pauses = new ExponentialBackOff(100, 2);
        pauses.setMaxInterval(5_000);
        DefaultErrorHandler handler = new DefaultErrorHandler(pauses);
        handler.addNotRetryableExceptions(MessageHandlingException.class);
        return handler;
    }
}
