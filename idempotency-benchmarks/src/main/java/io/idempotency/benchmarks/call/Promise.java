package io.idempotency.benchmarks.call;

/** What a repeated call gets. */
enum Promise {
    /** Each call makes the effect. */
    NOTHING,

    /** The effect is made once, and the key is refused to another payload. */
    ONE_EFFECT,

    /** In addition, a repeat gets the response of the first call. */
    SAME_RESPONSE
}
