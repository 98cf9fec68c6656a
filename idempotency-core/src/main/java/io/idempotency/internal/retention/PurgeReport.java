package io.idempotency.internal.retention;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The result of a run of the purge.
 *
 * @param deleted the tables from which rows were deleted, without their schema, and how many; responses that were cleared
 *     before their keys are {@code response_body}
 */
public record PurgeReport(Map<String, Long> deleted, End end) {

    /** Copies the map, in its order. */
    public PurgeReport {
        deleted = Collections.unmodifiableMap(new LinkedHashMap<>(deleted));
    }

    /** Returns the number of deleted rows of all tables. */
    public long total() {
        return deleted.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Why a run ended. */
    public enum End {

        /** All expired rows were deleted, except those that others have locked. */
        NOTHING_LEFT,

        /** Expired rows may be left. */
        TIME_UP,

        /** Another run, of this instance or another one, has the lease. */
        RUNNING_ELSEWHERE
    }
}
