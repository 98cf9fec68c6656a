package io.idempotency.internal.ownership;

/**
 * A name that belongs to one application of a schema.
 *
 * @param kind scope, consumer or topic; it is stored
 */
public record OwnedName(String kind, String name) {}
