package io.idempotency.internal.transaction;

/** Keeps what went wrong while something else was failing already, which is what the caller gets. */
public final class Suppression {

    private Suppression() {}

    public static void add(Throwable failure, Throwable followingFailure) {
        if (failure != followingFailure) {
            failure.addSuppressed(followingFailure);
        }
    }
}
