package io.idempotency.sample.accounts;

/** An account as its owner sees it. */
record Account(String accountId, long balanceCents) {}
