package io.idempotency.internal.inbox;

import io.idempotency.inbox.DeliveryOrder;

/**
 * The position of a message in its stream.
 *
 * @param order whether gaps are refused
 * @param firstVersion first version of a stream, if gaps are refused
 */
public record StreamPosition(String stream, long version, DeliveryOrder order, long firstVersion) {}
