package io.idempotency.sample.projections;

/** The balance of an account, as far as its events have come. */
record AccountBalance(String accountId, long version, long balanceCents) {}
