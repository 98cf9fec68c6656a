package io.idempotency.benchmarks;

/**
 * What one contender did in one turn.
 *
 * @param opsPerSecond calls, or messages of batches
 * @param p50Micros of a call, or of a whole batch
 * @param p99Micros of a call, or of a whole batch
 * @param walBytes written for each operation
 * @param roundTrips waited for in each operation
 */
record Measurement(double opsPerSecond, double p50Micros, double p99Micros, double walBytes, double roundTrips) {}
