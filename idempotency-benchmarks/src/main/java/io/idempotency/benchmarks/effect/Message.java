package io.idempotency.benchmarks.effect;

/**
 * A message of a batch.
 *
 * @param id the same in each delivery
 * @param payment to be made
 */
public record Message(String id, Payment payment) {}
