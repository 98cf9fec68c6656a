package io.idempotency.boot.actuate;

import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.transaction.TransactionException;

/**
 * The endpoint that shows what is stored, and lets operators intervene if that is allowed. Actuator reads its parameters from
 * the methods, so that they include {@code messageId}, which only an operation of an {@link EndpointPart} needs.
 */
@Endpoint(id = "idempotency", defaultAccess = Access.READ_ONLY)
final class IdempotencyEndpoint {

    private final EndpointReads reads;

    private final EndpointWrites writes;

    private final Show showResponses;

    IdempotencyEndpoint(EndpointReads reads, EndpointWrites writes, Show showResponses) {
        this.reads = reads;
        this.writes = writes;
        this.showResponses = showResponses;
    }

    @ReadOperation
    Map<String, Object> overview() {
        return reads.overview();
    }

    @ReadOperation
    OperationResponseBody section(
            @Selector String section,
            @Nullable String limit,
            @Nullable String attempts,
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable String downstream) {
        return read(
                section,
                RequestParameters.ofRead(
                        limit, attempts, scope, caller, key, downstream, showResponses.isShown(false)));
    }

    @WriteOperation
    OperationResponseBody intervene(
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
        return write(operation, parameters, null);
    }

    OperationResponseBody read(String section, RequestParameters parameters) {
        return inTime(() -> reads.section(section, parameters), "Request fewer rows, or try again later.");
    }

    OperationResponseBody write(String operation, RequestParameters parameters, @Nullable String principal) {
        return inTime(
                () -> writes.perform(operation, parameters, principal),
                "Check what is stored before you try again: another operator may have intervened.");
    }

    private static OperationResponseBody inTime(Supplier<OperationResponseBody> work, String advice) {
        try {
            return work.get();
        } catch (QueryTimeoutException tooSlow) {
            throw new RefusedRequestException(
                    RefusedRequestException.UNAVAILABLE,
                    "PostgreSQL did not answer within 5 seconds and was told to stop, so that nothing else has to wait. "
                            + advice);
        } catch (DataAccessException | TransactionException failure) {
            throw new RefusedRequestException(
                    RefusedRequestException.UNAVAILABLE,
                    "The database cannot be queried: "
                            + NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
        }
    }
}
