package io.idempotency.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;

/** What another part of the library adds to the endpoint. */
public interface EndpointPart {

    /**
     * Returns what the overview shows. It is made without a query.
     *
     * @return the members of the overview by name
     */
    Map<String, Object> overview();

    /**
     * Returns the sections that show a page of rows.
     *
     * @return by the name of each section, in the order of the overview, the query for at most so many rows
     */
    Map<String, IntFunction<List<?>>> sections();

    /**
     * Returns the operations.
     *
     * @return the operations by name
     */
    Map<String, Operation> operations();

    /**
     * Finds what the section {@code record} shows if no request is stored for an intent.
     *
     * @param intent the intent
     * @return what is shown; {@code null} if there is nothing
     */
    @Nullable OperationResponseBody findRecord(Intent intent);

    /**
     * Returns a sentence for operators who search a key in all scopes, which {@link #findRecord} cannot do.
     *
     * @return what the scope is here
     */
    String scopeHint();

    /**
     * An operation.
     *
     * @param parameter name of the parameter that it needs, beside those of the reason
     * @param work performs the operation with the value of the parameter
     */
    record Operation(String parameter, BiFunction<String, Reason, OperationResponseBody> work) {}
}
