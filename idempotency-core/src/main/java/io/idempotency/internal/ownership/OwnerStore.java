package io.idempotency.internal.ownership;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;

/** The store of the applications to which names belong. */
public interface OwnerStore {

    /**
     * Records an application as the owner of all names that have none. A name of an application without a name counts as one that has
     * none, unless this application has no name either. On a server that only reads nothing is recorded.
     *
     * @param connection a connection in READ COMMITTED, whose transaction is rolled back if a name belongs to another application
     * @param application the name of the application; empty if it has none
     */
    List<ForeignName> record(Connection connection, String application, Collection<OwnedName> names);

    /**
     * A name that belongs to another application.
     *
     * @param application the name of that application; never empty
     */
    record ForeignName(OwnedName name, String application) {}
}
