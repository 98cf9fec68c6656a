package io.idempotency.boot;

/** How logs and traces show a key and its caller. */
public enum KeyDisplay {

    /** As it is. */
    SHOWN,

    /** As the first 16 bytes of a SHA-256, which is the primary key of its row. */
    HASHED,

    /** Not at all. */
    OMITTED
}
