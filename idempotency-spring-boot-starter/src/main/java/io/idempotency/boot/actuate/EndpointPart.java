package io.idempotency.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;

/** A part of the library in the endpoint: calls, or messages. */
public interface EndpointPart {

    /** Returns the sections that show a page of rows, by name and in the order of the overview. */
    Map<String, Section> sections();

    /** Returns the operations by name. */
    Map<String, Operation> operations();

    /** Finds what the section {@code record} shows of an intent. */
    Optional<Row> findRecord(Intent intent, RequestParameters parameters);

    /** Returns a sentence for operators who search a key in all scopes, which {@link #findRecord} cannot do; may be empty. */
    default String scopeHint() {
        return "";
    }

    /** A section. */
    @FunctionalInterface
    interface Section {

        /** Finds at most so many rows. */
        List<Row> find(int limit, RequestParameters parameters);
    }

    /** An operation, with the parameters that it needs beside the reason. It returns a record of its target or result. */
    record Operation(List<String> needed, BiFunction<RequestParameters, Reason, Object> work) {}
}
