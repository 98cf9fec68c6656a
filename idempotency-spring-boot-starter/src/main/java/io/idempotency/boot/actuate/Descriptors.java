package io.idempotency.boot.actuate;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.StepRecord;

/** The members of answers that only the endpoint has. Members that are {@code null} are left out. */
final class Descriptors {

    private Descriptors() {}

    /**
     * A page of rows.
     *
     * @param mayBeMore whether there are as many rows as the limit
     */
    record Page(int limit, boolean mayBeMore, List<Row> rows) implements OperationResponseBody {

        static Page of(int limit, List<Row> rows) {
            return new Page(limit, rows.size() == limit, rows);
        }
    }

    /** A row alone. */
    record One(@JsonUnwrapped Row row) implements OperationResponseBody {}

    /**
     * The details of a stored request.
     *
     * @param response JSON text, in the form that the operation {@code complete} takes
     */
    record Details(
            @Nullable String response,
            @Nullable List<Step> steps,
            @Nullable Map<String, String> downstreamKeys) {}

    /** A recorded step, with the key that its {@code downstreamKey()} has. */
    record Step(@JsonUnwrapped StepRecord recorded, String downstreamKey) {}

    /** The intervention of an operator, and its target or result. */
    record Done(String operation, @JsonUnwrapped Object result, String who, String reason)
            implements OperationResponseBody {

        static Done of(String operation, Object result, Reason reason) {
            return new Done(operation, result, reason.who(), reason.why());
        }
    }

    /** The reason of a refusal. */
    record Refusal(String error) implements OperationResponseBody {}
}
