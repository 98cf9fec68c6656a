package io.idempotency.boot.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The responses of the endpoint. Fields that are {@code null} are left out. */
final class Descriptors {

    private Descriptors() {}

    /**
     * The overview, made without a query.
     *
     * @param storage the latest sample of the tables; {@code null} if there is none yet
     * @param outbox the latest sample of the outbox; {@code null} if there is none, as in an instance that sends
     *     nothing
     * @param sections the names of the sections
     */
    record Overview(@Nullable Storage storage, @Nullable Outbox outbox, List<String> sections)
            implements OperationResponseBody {}

    record Storage(Instant sampledAt, Duration age, List<Table> tables, int staleLeases) {}

    record Table(String table, long rows, Duration oldestExpired) {}

    record Outbox(Instant sampledAt, Duration age, int pending, int dead, Duration oldest) {}

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

    /**
     * The stored request of one intent.
     *
     * @param processing {@code running}, {@code lease-expired} or {@code abandoned}; otherwise {@code null}
     * @param response JSON text, in the form that the operation {@code complete} takes
     */
    record Request(
            String scope,
            String caller,
            String key,
            String status,
            @Nullable String processing,
            int attempt,
            String claimedBy,
            Instant createdAt,
            Instant claimedAt,
            @Nullable Instant lockedUntil,
            Instant expiresAt,
            boolean hasResponse,
            @Nullable String response,
            @Nullable String resultType,
            @Nullable String resultId,
            @Nullable String failureCode,
            @Nullable String failureMessage,
            @Nullable List<Step> steps)
            implements OperationResponseBody {}

    /** A recorded step. */
    record Step(
            String name,
            int attempt,
            Instant recordedAt,
            @Nullable String failureCode,
            @Nullable String failureMessage) {}

    record Handled(
            String consumer, String messageId, @Nullable String type, Instant handledAt, Instant expiresAt)
            implements OperationResponseBody {}

    record PublishedBy(String scope, String caller, String key) {}

    record Pending(
            String messageId,
            String topic,
            String type,
            @Nullable String orderingKey,
            int attempts,
            @Nullable String lastError,
            @Nullable PublishedBy publishedBy,
            Instant createdAt,
            Instant dueAt,
            Instant nextAttemptAt,
            @Nullable String waitsFor) {}

    record Dead(
            String messageId,
            String topic,
            String type,
            @Nullable String orderingKey,
            int attempts,
            String lastError,
            @Nullable PublishedBy publishedBy,
            Instant createdAt) {}

    record Failing(
            String consumer,
            String messageId,
            @Nullable String type,
            int attempts,
            String failureCode,
            String failureMessage,
            Instant firstFailedAt,
            Instant lastFailedAt) {}

    /** The intervention of an operator. */
    record Done(
            String operation,
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable String messageId,
            String who,
            String reason)
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
