package io.idempotency.internal.operation;

import io.idempotency.DeliveryOrder;

/**
 * The place of a message in its stream.
 *
 * @param stream what the order is kept for
 * @param version the place
 * @param order whether gaps matter
 * @param firstVersion what a stream begins with, if they do
 */
public record StreamPosition(String stream, long version, DeliveryOrder order, long firstVersion) {}
