package io.idempotency.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;

/** A part of the library in the endpoint: calls, or messages. */
public interface EndpointPart {

    /**
     * Returns the sections that show a page of rows.
     *
     * @return the sections by name, in the order of the overview
     */
    Map<String, Section> sections();

    /**
     * Returns the operations.
     *
     * @return the operations by name
     */
    Map<String, Operation> operations();

    /**
     * Finds what the section {@code record} shows of an intent.
     *
     * @param intent the intent
     * @param parameters the parameters of the request
     * @return what is stored; empty if nothing is
     */
    Optional<Row> findRecord(Intent intent, RequestParameters parameters);

    /**
     * Returns a sentence for operators who search a key in all scopes, which {@link #findRecord} cannot do.
     *
     * @return what the scope is here; empty if it is that of a call
     */
    default String scopeHint() {
        return "";
    }

    /** A section. */
    @FunctionalInterface
    interface Section {

        /**
         * Finds rows.
         *
         * @param limit most rows to return
         * @param parameters the other parameters of the request
         * @return the rows
         */
        List<Row> find(int limit, RequestParameters parameters);
    }

    /**
     * An operation.
     *
     * @param needed names of the parameters that it needs, beside those of the reason
     * @param work performs the operation, and returns a record of its target or result
     */
    record Operation(List<String> needed, BiFunction<RequestParameters, Reason, Object> work) {}
}
