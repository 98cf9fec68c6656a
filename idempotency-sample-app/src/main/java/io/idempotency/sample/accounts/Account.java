package io.idempotency.sample.accounts;

/** An account as its owner sees it: where its events have brought it. */
record Account(String accountId, long version, long balanceCents) {}
