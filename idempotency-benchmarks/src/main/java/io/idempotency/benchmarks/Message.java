package io.idempotency.benchmarks;

/**
 * One of a batch.
 *
 * @param id that every delivery has
 * @param payment to make
 */
record Message(String id, Payment payment) {}
