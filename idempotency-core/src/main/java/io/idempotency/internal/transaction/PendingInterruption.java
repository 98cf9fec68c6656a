package io.idempotency.internal.transaction;

/**
 * The interruption of a thread, which is cleared while the library does required work and restored afterwards. A pool gives no
 * connection to an interrupted thread, and an interrupted virtual thread closes the socket that it reads from.
 */
public final class PendingInterruption {

    private boolean isPending;

    /** Clears and keeps the interruption. May be called repeatedly, because the thread may be interrupted at any time. */
    public void save() {
        isPending |= Thread.interrupted();
    }

    /** Interrupts the thread again, if it was interrupted meanwhile. */
    public void restore() {
        if (isPending) {
            Thread.currentThread().interrupt();
        }
    }
}
