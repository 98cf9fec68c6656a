package io.idempotency.boot.actuate;

import java.security.Principal;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP, which adds the principal of a request and the status of its response. */
@EndpointWebExtension(endpoint = IdempotencyEndpoint.class)
final class IdempotencyEndpointWebExtension {

    private final IdempotencyEndpoint endpoint;

    private final Show showResponses;

    private final Set<String> roles;

    IdempotencyEndpointWebExtension(IdempotencyEndpoint endpoint, Show showResponses, Set<String> roles) {
        this.endpoint = endpoint;
        this.showResponses = showResponses;
        this.roles = roles;
    }

    @ReadOperation
    WebEndpointResponse<OperationResponseBody> section(
            SecurityContext security,
            @Selector String section,
            @Nullable String limit,
            @Nullable String attempts,
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable String downstream) {
        RequestParameters parameters = RequestParameters.ofRead(
                limit, attempts, scope, caller, key, downstream, showResponses.isShown(security, roles));
        return respond(() -> endpoint.read(section, parameters));
    }

    @WriteOperation
    WebEndpointResponse<OperationResponseBody> intervene(
            SecurityContext security,
            @Selector String operation,
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable String messageId,
            @Nullable String response,
            @Nullable String step,
            @Nullable String who,
            @Nullable String reason) {
        RequestParameters parameters =
                RequestParameters.ofWrite(scope, caller, key, messageId, response, step, who, reason);
        Principal principal = security.getPrincipal();
        return respond(() -> endpoint.write(operation, parameters, principal == null ? null : principal.getName()));
    }

    private static WebEndpointResponse<OperationResponseBody> respond(Supplier<OperationResponseBody> work) {
        try {
            return new WebEndpointResponse<>(work.get());
        } catch (RefusedRequestException refused) {
            return new WebEndpointResponse<>(
                    new Descriptors.Refusal(String.valueOf(refused.getMessage())), refused.status());
        }
    }
}
