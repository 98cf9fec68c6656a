package io.idempotency.boot.chain;

import java.util.UUID;

/** Different for every execution, so that equal receipts mean one execution. */
record Receipt(UUID paymentId, String key) {}
