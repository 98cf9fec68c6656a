package io.idempotency.sample.projections;

import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;

/**
 * How far a generation of a projection has come.
 *
 * @param lastAppliedAt when it last changed
 * @param lag how many events have happened that it does not show
 */
record Progress(@Nullable OffsetDateTime lastAppliedAt, long lag) {}
