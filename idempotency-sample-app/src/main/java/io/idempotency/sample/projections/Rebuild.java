package io.idempotency.sample.projections;

/** A projection that was built anew, and how many events were read for that. */
record Rebuild(String name, int generation, long events) {}
