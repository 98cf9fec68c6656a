package io.idempotency.sample.cluster;

/** A server that can crash. */
interface DatabaseNode {

    /** As a server dies that loses its power. */
    void stopImmediately();

    /** On the same data and port; returns when it has recovered. */
    void startAgain();
}
