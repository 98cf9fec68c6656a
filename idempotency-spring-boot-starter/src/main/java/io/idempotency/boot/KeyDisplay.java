package io.idempotency.boot;

/** How logs and traces show a key and its caller. */
public enum KeyDisplay {

    /** The key as it is. */
    SHOWN,

    /** The first 16 bytes of a SHA-256, which is the primary key of its row. */
    HASHED,

    /** No key. */
    OMITTED
}
