package io.idempotency.internal.ownership;

import java.util.stream.Stream;

/** The names that a part of the application declares. They are known when all singletons exist. */
@FunctionalInterface
public interface DeclaredNames {

    /** Returns the names. One may occur several times. */
    Stream<OwnedName> names();
}
