package io.idempotency.boot.actuate;

import java.time.Clock;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The configuration of the samples that the endpoint and the health indicator share. */
@Configuration(proxyBeanMethods = false)
class SamplesConfiguration {

    @Bean
    LatestSamples idempotencyLatestSamples() {
        return new LatestSamples(Clock.systemUTC());
    }
}
