package io.idempotency.boot.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.StepRecord;
import io.idempotency.boot.retention.LatestSample.Taken;
import io.idempotency.internal.call.KeyOwnership.Holder;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/**
 * The responses of the endpoint: records of the library, with the members that only the endpoint has. Members that are
 * {@code null} are left out.
 */
final class Descriptors {

    private Descriptors() {}

    record Storage(Instant sampledAt, Duration age, List<TableSample> tables, int staleLeases, int halfDone) {

        static @Nullable Storage of(@Nullable Taken<StorageSampled> taken) {
            return taken == null
                    ? null
                    : new Storage(
                            taken.at(),
                            taken.age(),
                            taken.sample().tables(),
                            taken.sample().staleLeases(),
                            taken.sample().halfDone());
        }
    }

    /**
     * A page of rows.
     *
     * @param limit the largest number of rows
     * @param mayBeMore whether there are as many rows as the limit
     * @param rows the rows
     */
    record Page<T>(int limit, boolean mayBeMore, List<T> rows) implements OperationResponseBody {

        static <T> Page<T> of(int limit, List<T> rows) {
            return new Page<>(limit, rows.size() == limit, rows);
        }
    }

    /** An intent, whose key is shown as text. */
    record Key(String scope, String caller, String key) {

        static Key of(Intent intent) {
            return new Key(intent.scope(), intent.caller(), intent.key().value());
        }
    }

    /**
     * The stored request of one intent: what is added to the record is shown.
     *
     * @param processing {@code running}, {@code lease-expired} or {@code abandoned}; otherwise {@code null}
     * @param response JSON text, in the form that the operation {@code complete} takes
     */
    record Request(
            @JsonUnwrapped Key intent,
            String status,
            @Nullable String processing,

            @JsonUnwrapped @JsonIgnoreProperties({"intent", "status", "stale"})
            IdempotencyRecord stored,

            @Nullable String response,
            @Nullable List<Step> steps,
            @Nullable Map<String, String> downstreamKeys)
            implements OperationResponseBody {

        static Request of(IdempotencyRecord found) {
            return of(found, null, null, null);
        }

        static Request of(
                IdempotencyRecord found,
                @Nullable String response,
                @Nullable List<Step> steps,
                @Nullable Map<String, String> downstreamKeys) {
            return new Request(
                    Key.of(found.intent()),
                    found.status().name().toLowerCase(Locale.ROOT),
                    processing(found),
                    found,
                    response,
                    steps,
                    downstreamKeys);
        }

        private static @Nullable String processing(IdempotencyRecord found) {
            if (found.status() != RequestStatus.PROCESSING) {
                return null;
            }
            if (found.lockedUntil() == null) {
                return "abandoned";
            }
            return found.stale() ? "lease-expired" : "running";
        }
    }

    /** A recorded step, with the key that its {@code downstreamKey()} has. */
    record Step(@JsonUnwrapped StepRecord recorded, String downstreamKey) {}

    /** A key that a call of this instance holds now. */
    record RunningCall(@JsonUnwrapped Key intent, String thread, Instant since, String state) {

        static RunningCall of(Holder holder) {
            return new RunningCall(
                    Key.of(holder.intent()),
                    holder.thread(),
                    Instant.now().minus(holder.heldFor()),
                    holder.hasReturned() ? "transaction-open" : "method-running");
        }
    }

    /** The intervention of an operator in a request. */
    record Done(String operation, String scope, String caller, String key, String who, String reason)
            implements OperationResponseBody {}

    /**
     * The result of a purge.
     *
     * @param deleted rows by table
     * @param end {@code NOTHING_LEFT}, {@code TIME_UP} if something is left, or {@code RUNNING_ELSEWHERE}
     */
    record Purged(String operation, Map<String, Long> deleted, String end, String who, String reason)
            implements OperationResponseBody {}

    /** The reason of a refusal. */
    record Refusal(String error) implements OperationResponseBody {}
}
