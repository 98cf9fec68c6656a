package io.idempotency.boot.actuate;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.idempotency.DeadMessage;
import io.idempotency.FailingMessage;
import io.idempotency.HandledMessage;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.PendingMessage;
import io.idempotency.RequestStatus;
import io.idempotency.StepRecord;
import io.idempotency.boot.retention.LatestSample.Taken;
import io.idempotency.observation.OutboxSampled;
import io.idempotency.observation.StorageSampled;

/** The mapper of the library's objects to the descriptors of the endpoint. */
final class DescriptorMapper {

    private DescriptorMapper() {}

    static Descriptors.@Nullable Storage of(@Nullable Taken<StorageSampled> taken) {
        return taken == null
                ? null
                : new Descriptors.Storage(
                        taken.at(),
                        taken.age(),
                        taken.sample().tables().stream()
                                .map(table -> new Descriptors.Table(table.table(), table.rows(), table.oldestExpired()))
                                .toList(),
                        taken.sample().staleLeases());
    }

    static Descriptors.@Nullable Outbox ofOutbox(@Nullable Taken<OutboxSampled> taken) {
        return taken == null
                ? null
                : new Descriptors.Outbox(
                        taken.at(),
                        taken.age(),
                        taken.sample().pending(),
                        taken.sample().dead(),
                        taken.sample().oldest());
    }

    static Descriptors.Request of(IdempotencyRecord found) {
        return of(found, null, List.of());
    }

    static Descriptors.Request of(IdempotencyRecord found, @Nullable String response, List<StepRecord> steps) {
        return new Descriptors.Request(
                found.intent().scope(),
                found.intent().caller(),
                found.intent().key().value(),
                found.status().name().toLowerCase(Locale.ROOT),
                processing(found),
                found.attempt(),
                found.claimedBy(),
                found.createdAt(),
                found.claimedAt(),
                found.lockedUntil(),
                found.expiresAt(),
                found.hasResponse(),
                response,
                found.resultType(),
                found.resultId(),
                found.failureCode(),
                found.failureMessage(),
                steps.isEmpty()
                        ? null
                        : steps.stream().map(DescriptorMapper::of).toList());
    }

    private static Descriptors.Step of(StepRecord step) {
        return new Descriptors.Step(
                step.name(), step.attempt(), step.recordedAt(), step.failureCode(), step.failureMessage());
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

    static Descriptors.Handled of(HandledMessage message) {
        return new Descriptors.Handled(
                message.consumer(), message.messageId(), message.type(), message.handledAt(), message.expiresAt());
    }

    static Descriptors.Pending of(PendingMessage message) {
        return new Descriptors.Pending(
                message.messageId().toString(),
                message.topic(),
                message.type(),
                message.orderingKey(),
                message.attempts(),
                message.lastError(),
                publisher(message.intent()),
                message.createdAt(),
                message.dueAt(),
                message.nextAttemptAt(),
                message.waitsFor() == null ? null : message.waitsFor().toString());
    }

    static Descriptors.Dead of(DeadMessage message) {
        return new Descriptors.Dead(
                message.messageId().toString(),
                message.topic(),
                message.type(),
                message.orderingKey(),
                message.attempts(),
                message.lastError(),
                publisher(message.intent()),
                message.createdAt());
    }

    private static Descriptors.@Nullable PublishedBy publisher(@Nullable Intent intent) {
        return intent == null
                ? null
                : new Descriptors.PublishedBy(
                        intent.scope(), intent.caller(), intent.key().value());
    }

    static Descriptors.Failing of(FailingMessage message) {
        return new Descriptors.Failing(
                message.consumer(),
                message.messageId(),
                message.type(),
                message.attempts(),
                message.failureCode(),
                message.failureMessage(),
                message.firstFailedAt(),
                message.lastFailedAt());
    }
}
