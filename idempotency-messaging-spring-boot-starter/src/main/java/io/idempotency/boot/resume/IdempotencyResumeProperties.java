package io.idempotency.boot.resume;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of leased calls that an instance finishes without their callers. Their attempts have the settings of the outbox.
 *
 * @param enabled Whether this instance resumes calls of methods with resume = true. Their arguments are stored in any case.
 */
@ConfigurationProperties("idempotency.resume")
public record IdempotencyResumeProperties(
        @DefaultValue("true") boolean enabled) {}
