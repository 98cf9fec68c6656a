package io.idempotency.internal.execution;

/** Keeps what went wrong while something else was failing already, which is what the caller gets. */
final class Suppression {

    private Suppression() {}

    static void add(Throwable failure, Throwable followingFailure) {
        if (failure != followingFailure) {
            failure.addSuppressed(followingFailure);
        }
    }
}
