package io.idempotency.internal.call;

import java.util.function.Supplier;

/**
 * A call whose key and payload are not computed yet.
 *
 * @param publisher receives the outcome, also if binding fails
 * @param binder computes key, payload and options; called once
 */
public record UnboundCall(OutcomePublisher publisher, Supplier<IdempotentCall> binder) {}
