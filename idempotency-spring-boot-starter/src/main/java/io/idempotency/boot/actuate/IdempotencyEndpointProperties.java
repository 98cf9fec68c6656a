package io.idempotency.boot.actuate;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the endpoint.
 *
 * @param showResponses When to show stored responses.
 * @param roles Roles that may see stored responses. By default, every authenticated user may.
 */
@ConfigurationProperties("management.endpoint.idempotency")
public record IdempotencyEndpointProperties(
        @DefaultValue("never") Show showResponses,
        @DefaultValue Set<String> roles) {

    /** Copies the roles. */
    public IdempotencyEndpointProperties {
        roles = Set.copyOf(roles);
    }
}
