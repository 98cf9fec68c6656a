package io.idempotency.benchmarks;

/**
 * What all contenders have in common.
 *
 * @param server they are on
 * @param poolSize of each of them
 */
record ContenderSetup(BenchmarkServer server, int poolSize) {}
