package io.idempotency.sample.projections;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A projection from outside.
 *
 * @param generation the one that answers
 * @param building the one that is being built; {@code null} if none is
 * @param lastAppliedAt when the one that answers last changed
 * @param lag how many events it does not show yet
 */
record ProjectionStatus(
        String name,
        int generation,
        @Nullable Integer building,
        @Nullable Instant lastAppliedAt,
        long lag) {}
