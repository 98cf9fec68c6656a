package io.idempotency.boot.actuate;

import java.time.Clock;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Shared by the endpoint and the health indicator. */
@Configuration(proxyBeanMethods = false)
class SamplesConfiguration {

    @Bean
    LatestSamples idempotencyLatestSamples() {
        return new LatestSamples(Clock.systemUTC());
    }
}
