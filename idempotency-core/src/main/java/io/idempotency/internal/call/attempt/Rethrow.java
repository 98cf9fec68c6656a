package io.idempotency.internal.call.attempt;

/** Throws a checked exception unchanged: the type parameter of the callback has declared it to the caller. */
public final class Rethrow {

    private Rethrow() {}

    @SuppressWarnings("unchecked") // The cast is erased.
    public static <X extends Throwable> RuntimeException unchanged(Throwable failure) throws X {
        throw (X) failure;
    }
}
