package io.idempotency;

/** The time at which the claim of a key is committed. */
public enum IdempotencyMode {

    /** With the effect, in the method's own transaction. A crash leaves nothing behind. */
    TRANSACTIONAL,

    /**
     * Before the method runs, as a lease that expires: for methods that call something outside of PostgreSQL. No
     * transaction may be open when the method is called.
     */
    LEASED
}
