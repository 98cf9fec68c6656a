package io.idempotency.internal.call;

/**
 * The interruption of a thread, which is cleared while the library does required work and restored afterwards. A pool gives no
 * connection to an interrupted thread, and an interrupted virtual thread closes the socket that it reads from.
 */
final class PendingInterruption {

    private boolean isPending;

    /** Clears and keeps the interruption. May be called repeatedly, because the thread may be interrupted at any time. */
    void save() {
        isPending |= Thread.interrupted();
    }

    void restore() {
        if (isPending) {
            Thread.currentThread().interrupt();
        }
    }
}
