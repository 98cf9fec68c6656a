package io.idempotency.inbox;

/** The order in which the messages of one stream are handled. */
public enum DeliveryOrder {

    /** Forward only: a message is skipped if one of its version or a newer one was handled before. Gaps do not matter. */
    MONOTONIC,

    /** Without gaps: a message that comes too early is refused, so that the broker delivers it again later. */
    STRICT
}
