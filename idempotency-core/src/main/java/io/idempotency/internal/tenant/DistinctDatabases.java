package io.idempotency.internal.tenant;

import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.transaction.TransactionException;

import io.idempotency.DatabaseResolver;
import io.idempotency.TransactionMismatchException;
import io.idempotency.internal.transaction.DatabaseIdentity;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.SqlStates;

/**
 * A resolver that refuses two names of one database, such as the names of tenants that have a schema each: equal keys of the two would be
 * one key. Each name is checked when it is first seen.
 */
public final class DistinctDatabases implements DatabaseResolver {

    private static final Logger logger = LoggerFactory.getLogger(DistinctDatabases.class);

    private final DatabaseResolver resolver;

    private final RequiresNewTransaction transactions;

    private final Function<Connection, DatabaseIdentity> identityOf;

    /** The checked names. A database that could not be asked is empty. */
    private final Map<Object, Optional<DatabaseIdentity>> checked = new ConcurrentHashMap<>();

    private final ReentrantLock checking = new ReentrantLock();

    private DistinctDatabases(
            DatabaseResolver resolver, DataSource dataSource, Function<Connection, DatabaseIdentity> identityOf) {
        this.resolver = resolver;
        this.transactions = RequiresNewTransaction.on(dataSource);
        this.identityOf = identityOf;
    }

    /**
     * Checks the names of a resolver.
     *
     * @return a resolver of the same names; the resolver itself if it has only one
     */
    public static DatabaseResolver of(
            DatabaseResolver resolver, DataSource dataSource, Function<Connection, DatabaseIdentity> identityOf) {
        return RoutedDatabase.isSingle(resolver) ? resolver : new DistinctDatabases(resolver, dataSource, identityOf);
    }

    /**
     * Returns the name of the database.
     *
     * @throws TransactionMismatchException if another name was resolved before for the same database
     */
    @Override
    public Object resolveDatabase() {
        Object name = resolver.resolveDatabase();
        // Applications may return null outside of their tenants.
        Object known = name == null ? "" : name;
        if (!checked.containsKey(known)) {
            checkInTurn(known);
        }
        return name;
    }

    /** Waits for its turn only without a connection: threads that each hold one would exhaust the pool. */
    private void checkInTurn(Object name) {
        boolean mayWait = !RequiresNewTransaction.mayHoldConnection();
        if (mayWait) {
            checking.lock();
        } else if (!checking.tryLock()) {
            return;
        }
        try {
            check(name);
        } catch (DataAccessException | TransactionException failure) {
            failed(name, mayWait, failure);
        } finally {
            checking.unlock();
        }
    }

    private void failed(Object name, boolean mayWait, RuntimeException failure) {
        if (failure instanceof NonTransientDataAccessException && SqlStates.isAnswer(failure)) {
            // Each call would get the same answer, one after the other.
            checked.put(name, Optional.empty());
            logger.warn(
                    "It is not checked whether '{}' is one database with another name, because PostgreSQL refuses to tell its"
                            + " identity: grant the role EXECUTE on pg_control_system()",
                    name,
                    failure);
            return;
        }
        logger.debug("The database {} could not be asked for its identity", name, failure);
        // The pool may have no second connection, so that each call would wait for it again.
        if (!mayWait) {
            checked.put(name, Optional.empty());
        }
    }

    private void check(Object name) {
        DatabaseIdentity database = transactionsOf(name).call(identityOf);
        checked.forEach((other, known) -> known.filter(otherDatabase -> isConfused(otherDatabase, database))
                .ifPresent(confused -> refuse(other, name, database)));
        checked.put(name, Optional.of(database));
    }

    /** Asks the chosen DataSource itself, because a routing one may choose another in a transaction. */
    private RequiresNewTransaction transactionsOf(Object name) {
        return resolver instanceof RoutedDatabase && name instanceof DataSource target
                ? RequiresNewTransaction.on(target)
                : transactions;
    }

    /** Several pools of one database are no tenants if their statements work on the same tables. */
    private boolean isConfused(DatabaseIdentity one, DatabaseIdentity other) {
        return one.isDatabaseOf(other) && !(resolver instanceof RoutedDatabase && one.equals(other));
    }

    private void refuse(Object one, Object other, DatabaseIdentity database) {
        throw new TransactionMismatchException("'" + one + "' and '" + other + "', which "
                + (resolver instanceof RoutedDatabase
                        ? "are DataSources of the routing DataSource"
                        : "the DatabaseResolver has returned")
                + ", are one database, '" + database.name()
                + "': a key of one would be answered with the response of the other. Return the tenant from a"
                + " CallerResolver, make it part of the ids of messages, and return from a DatabaseResolver one"
                + " name for each database");
    }
}
