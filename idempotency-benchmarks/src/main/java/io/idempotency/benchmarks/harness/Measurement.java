package io.idempotency.benchmarks.harness;

/**
 * The result of one turn.
 *
 * @param perSecond calls or messages a second, of all threads
 * @param p50Millis the median time of a call or of a whole batch
 * @param p99Millis the 99th percentile
 * @param jvmMicros processor time of this JVM for each call or message, with its compiler and garbage collector
 * @param walBytes written for each call or message
 * @param roundTrips for each call or message
 */
record Measurement(
        double perSecond, double p50Millis, double p99Millis, double jvmMicros, double walBytes, double roundTrips) {}
