package io.idempotency.observation;

import io.idempotency.Intent;

/**
 * The event that a step of a leased call has ended.
 *
 * @param intent intent of the call
 * @param step name of the step
 * @param replayed whether the call got the record of an earlier attempt; if not, the step was run and recorded
 */
public record StepEnded(Intent intent, String step, boolean replayed) {}
