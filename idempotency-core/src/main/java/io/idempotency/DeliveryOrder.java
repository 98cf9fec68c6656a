package io.idempotency;

/** In which order the messages of one stream are handled. */
public enum DeliveryOrder {

    /** Forward only: a message that is older than what was handled already is skipped. Gaps are no matter. */
    MONOTONIC,

    /** One after the other: a message that comes too early is refused, so that the broker delivers it again later. */
    STRICT
}
