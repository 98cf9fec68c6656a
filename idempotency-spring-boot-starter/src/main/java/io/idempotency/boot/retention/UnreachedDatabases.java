package io.idempotency.boot.retention;

import java.util.Map;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

import io.idempotency.DatabaseResolver;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.tenant.RoutedDatabase;
import io.idempotency.internal.transaction.DatabaseIdentity;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/** The warning at start-up that the purge works in one database only, although the DataSource chooses between several. */
final class UnreachedDatabases {

    private static final Logger logger = LoggerFactory.getLogger(UnreachedDatabases.class);

    private final DataSource dataSource;

    private final DatabaseResolver resolver;

    UnreachedDatabases(DataSource dataSource, DatabaseResolver resolver) {
        this.dataSource = dataSource;
        this.resolver = resolver;
    }

    void warn() {
        String others = findOthers();
        if (others != null) {
            logger.warn(
                    "The DataSource of the idempotency tables chooses between several databases, and this process purges, relays and"
                            + " resumes in one of them only: the database of a thread without a tenant. In the others ({}) expired rows are"
                            + " never deleted, and published messages never sent. Start for each of them an instance whose DataSource"
                            + " is that database, or let a job call idempotency_purge there",
                    others);
        }
    }

    private @Nullable String findOthers() {
        if (!(RoutedDatabase.of(dataSource) instanceof RoutedDatabase routed)) {
            return RoutedDatabase.isSingle(resolver)
                    ? null
                    : "the databases of the DatabaseResolver "
                            + resolver.getClass().getName();
        }
        DatabaseIdentity purged = identityOf(dataSource);
        // One is enough to know that they are no replicas of one: tenants may be many.
        for (Map.Entry<Object, DataSource> target : routed.targets().entrySet()) {
            DatabaseIdentity other = identityOf(target.getValue());
            if (purged != null && other != null && !other.hasDataOf(purged)) {
                return "such as '" + other.name() + "', to which the key '" + target.getKey() + "' leads";
            }
        }
        return null;
    }

    private static @Nullable DatabaseIdentity identityOf(DataSource dataSource) {
        try {
            return RequiresNewTransaction.on(dataSource).call(StorageSchema::identityOf);
        } catch (DataAccessException | TransactionException failure) {
            logger.debug("A database could not be asked for its identity", failure);
            return null;
        }
    }
}
