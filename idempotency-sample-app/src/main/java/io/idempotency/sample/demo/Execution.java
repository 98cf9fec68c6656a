package io.idempotency.sample.demo;

/**
 * An execution of the method of an attempt.
 *
 * @param beganMilliseconds from the start of the run
 * @param endedMilliseconds likewise
 * @param completed whether the method returned
 */
record Execution(double beganMilliseconds, double endedMilliseconds, boolean completed) {}
