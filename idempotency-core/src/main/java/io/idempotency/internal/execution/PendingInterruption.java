package io.idempotency.internal.execution;

/**
 * The interruption of a caller, set aside while the library does what has to be done all the same: a pool gives no connection
 * to an interrupted thread, and a virtual one closes the socket that it reads from.
 */
final class PendingInterruption {

    private boolean isPending;

    /** May be called again: a caller may be interrupted at any time. */
    void setAside() {
        isPending |= Thread.interrupted();
    }

    void giveBack() {
        if (isPending) {
            Thread.currentThread().interrupt();
        }
    }
}
