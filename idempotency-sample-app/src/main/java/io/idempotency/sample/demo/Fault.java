package io.idempotency.sample.demo;

/** What befalls the first execution of a run, after its effect and before its commit. */
enum Fault {

    /** Nothing. */
    NONE,

    /** The method throws. */
    THROW,

    /** The backend of its connection is terminated. */
    KILL,

    /** Its transaction stays open for some seconds more. */
    HOLD
}
