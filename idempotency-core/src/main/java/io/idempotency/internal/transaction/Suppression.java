package io.idempotency.internal.transaction;

/** Adds a failure to an earlier one, which is the one that the caller gets. */
public final class Suppression {

    private Suppression() {}

    public static void add(Throwable failure, Throwable followingFailure) {
        if (failure != followingFailure) {
            failure.addSuppressed(followingFailure);
        }
    }
}
