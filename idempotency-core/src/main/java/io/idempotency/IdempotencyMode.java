package io.idempotency;

/** When the claim of a key is committed. */
public enum IdempotencyMode {

    /** With the effect, in the method's own transaction. Nothing can be left behind by a crash. */
    TRANSACTIONAL,

    /**
     * Before the method runs, as a lease that expires: for methods that call something outside of PostgreSQL. Must be the
     * outermost transactional thing: no transaction may be open when the method is called.
     */
    LEASED
}
