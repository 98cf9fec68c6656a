package io.idempotency.sample.notifications;

import org.springframework.context.annotation.Bean;

/** The receiver of the profile kafka, for the proofs, whose sample has no broker. No component, or it were in all samples. */
public class KafkaReceiver {

    @Bean
    NotificationListener notificationListener(Notifications notifications) {
        return new NotificationListener(notifications);
    }
}
