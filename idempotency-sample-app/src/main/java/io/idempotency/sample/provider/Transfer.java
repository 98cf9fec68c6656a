package io.idempotency.sample.provider;

import java.util.UUID;

/** Money that the provider has sent. */
public record Transfer(UUID transferId, String account, long amountCents) {}
