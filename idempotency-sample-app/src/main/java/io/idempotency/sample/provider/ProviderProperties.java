package io.idempotency.sample.provider;

import java.net.URI;
import java.time.Duration;

import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * The pretend provider, and how it is called.
 *
 * @param port that it listens on; 0 for any that is free
 * @param lostAnswers the share of requests that it does what they ask for and does not answer, from 0 to 1
 * @param url where it is called; by default where this application's own one listens
 * @param timeout for a connection, and for a whole answer
 * @param attempts how often a request is sent at most before the provider counts as unavailable
 * @param pause before the second attempt; before each further one it is twice as long
 */
@ConfigurationProperties("sample.provider")
@Validated
public record ProviderProperties(
        @Min(0) @Max(65_535) int port,
        @DecimalMin("0") @DecimalMax("1") double lostAnswers,
        @Nullable URI url,
        @NotNull Duration timeout,
        @Min(1) int attempts,
        @NotNull Duration pause) {}
