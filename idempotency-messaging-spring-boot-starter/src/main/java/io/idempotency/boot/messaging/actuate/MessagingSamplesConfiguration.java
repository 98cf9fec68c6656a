package io.idempotency.boot.messaging.actuate;

import java.time.Clock;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The configuration of the samples that the endpoint and the health indicator share. */
@Configuration(proxyBeanMethods = false)
class MessagingSamplesConfiguration {

    @Bean
    LatestMessagingSamples idempotencyLatestMessagingSamples() {
        return new LatestMessagingSamples(Clock.systemUTC());
    }
}
