package io.idempotency.benchmarks;

/** What a turn repeats, with many threads at once. */
@FunctionalInterface
interface Operation {

    void run() throws Exception;
}
