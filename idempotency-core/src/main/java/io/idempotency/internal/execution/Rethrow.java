package io.idempotency.internal.execution;

/** Throws the callback's own exception, which its type parameter has declared to the caller. */
public final class Rethrow {

    private Rethrow() {}

    @SuppressWarnings("unchecked") // Erased: nothing is cast.
    public static <X extends Throwable> RuntimeException unchanged(Throwable failure) throws X {
        throw (X) failure;
    }
}
