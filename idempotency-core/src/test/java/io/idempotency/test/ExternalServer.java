package io.idempotency.test;

/** A server that somebody else started and named by URL; this JVM only creates and drops databases on it. */
record ExternalServer(ServerAddress address) implements RunningServer {}
