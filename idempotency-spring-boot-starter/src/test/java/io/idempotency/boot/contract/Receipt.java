package io.idempotency.boot.contract;

import java.time.Instant;
import java.util.UUID;

/** What {@link Payments} answer: different for every execution, so that equal answers mean one execution. */
record Receipt(UUID paymentId, String account, long cents, Instant at) {}
