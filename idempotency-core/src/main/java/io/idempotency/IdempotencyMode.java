package io.idempotency;

/** The time at which the claim of a key is committed. */
public enum IdempotencyMode {

    /** With the effect, in the method's own transaction. A crash leaves nothing behind. */
    TRANSACTIONAL,

    /**
     * With the effect as well, but only when the method has returned: the library writes nothing before it. If the key turns out
     * to be taken, everything is rolled back, and the call claims its key first. So a new key takes two round trips less, with JPA
     * one, but <b>the method may run for a key that was answered already, and its writes be rolled back</b>: nothing outside of this
     * database may happen in it. In a transaction that is open already it is TRANSACTIONAL.
     */
    OPTIMISTIC,

    /**
     * Before the method runs, as a lease, which is renewed while the method runs; if the process ends, the lease expires. For methods
     * that call something outside of PostgreSQL. No transaction may be open when the method is called.
     */
    LEASED
}
