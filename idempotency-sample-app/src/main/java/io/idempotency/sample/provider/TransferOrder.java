package io.idempotency.sample.provider;

/** What the provider is asked for. */
record TransferOrder(String account, long amountCents) {}
