package io.idempotency;

/**
 * Tells which database a call works on, where one DataSource chooses between several, such as one a tenant. Equal keys in
 * two databases have nothing to do with each other: no call waits for one of another database.
 *
 * <p>Needed only for a DataSource that chooses by its own means. What a Spring {@code AbstractRoutingDataSource} chooses from
 * its targets is found out without a bean of this type.
 */
@FunctionalInterface
public interface DatabaseResolver {

    /**
     * The database of the idempotent call that is about to start on this thread. Asked once for each call, before its
     * transaction and before anything is looked up.
     *
     * @return equal objects for the same database, other ones for another; the name of the tenant, for example
     */
    Object resolveDatabase();
}
