package io.idempotency.sample.activity;

/** What was paid from an account, as far as its messages have come. */
record AccountActivity(String accountId, long payments, long cents) {}
