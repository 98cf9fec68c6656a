package io.idempotency.boot.contract;

/** What a test asks the {@link Payments} for. */
record PayCommand(String account, long cents) {}
