package io.idempotency.sample.provider;

/** Why the provider has not done what it was asked for. */
record Refusal(String message) {}
