package io.idempotency.boot.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.InterventionRefusedException;
import io.idempotency.boot.actuate.Descriptors.Done;
import io.idempotency.boot.actuate.EndpointPart.Operation;

/** The write operations of the endpoint. Each needs a reason. */
final class EndpointWrites {

    private final Map<String, Operation> operations = new LinkedHashMap<>();

    EndpointWrites(List<EndpointPart> parts) {
        parts.forEach(part -> operations.putAll(part.operations()));
    }

    /**
     * Performs the operation.
     *
     * @param principal the authenticated user; {@code null} if there is none
     */
    OperationResponseBody perform(String name, RequestParameters parameters, @Nullable String principal) {
        Operation operation = operations.get(name);
        if (operation == null) {
            throw new RefusedRequestException(
                    RefusedRequestException.NOT_FOUND,
                    "There is no operation '" + name + "'. There are " + String.join(", ", operations.keySet()) + ".");
        }
        Reason reason = reason(name, operation.needed(), parameters, principal);
        try {
            return Done.of(name, operation.work().apply(parameters, reason), reason);
        } catch (InterventionRefusedException refused) {
            throw new RefusedRequestException(
                    refused.isFound() ? RefusedRequestException.CONFLICT : RefusedRequestException.NOT_FOUND,
                    refused.getMessage() + ".");
        }
    }

    private static Reason reason(
            String operation, List<String> needed, RequestParameters parameters, @Nullable String principal) {
        List<String> all = new ArrayList<>(needed);
        all.add("reason");
        if (principal == null) {
            all.add("who");
        }
        parameters.require(operation, all);
        String who = parameters.get("who");
        if (principal != null && who != null && !who.equals(principal)) {
            throw RefusedRequestException.badRequest(
                    "'who' is not needed, because you are '" + principal + "', and not '" + who + "'.");
        }
        try {
            return new Reason(principal != null ? principal : parameters.text("who"), parameters.text("reason"));
        } catch (IllegalArgumentException unreadable) {
            throw RefusedRequestException.badRequest(unreadable.getMessage() + ".");
        }
    }
}
