package io.idempotency;

/**
 * A resolver of the database of a call if one DataSource chooses between several, such as one for each tenant. Equal
 * keys in two databases are independent: a call never waits for a call in another database.
 *
 * <p>Tenants of one database, with a schema each or a column, do not belong here but into the {@link CallerResolver}:
 * all of them have the same idempotency tables. If two names turn out to be one database, the call is refused with
 * {@link TransactionMismatchException}.
 *
 * <p>Needed only for a DataSource with its own routing. The target of a Spring {@code AbstractRoutingDataSource} is
 * found without a bean of this type.
 */
@FunctionalInterface
public interface DatabaseResolver {

    /**
     * Returns the database of the idempotent call that is about to start on this thread. Called once for each call,
     * before its transaction and before any query.
     *
     * @return equal objects for the same database and unequal ones for different databases; for example the tenant's
     *     name
     */
    Object resolveDatabase();
}
