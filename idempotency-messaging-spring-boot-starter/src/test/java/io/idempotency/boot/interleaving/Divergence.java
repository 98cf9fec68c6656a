package io.idempotency.boot.interleaving;

/** A run that could not repeat the steps of another one, because something took longer than the scheduler waits for it. */
final class Divergence extends RuntimeException {

    private static final long serialVersionUID = 1;

    Divergence(String message) {
        super(message);
    }
}
