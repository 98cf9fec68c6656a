package io.idempotency.sample.cluster;

/**
 * What came back of a request.
 *
 * @param replayed whether it says that it is the answer of an earlier one
 */
record Answer(Outcome outcome, boolean replayed) {}
