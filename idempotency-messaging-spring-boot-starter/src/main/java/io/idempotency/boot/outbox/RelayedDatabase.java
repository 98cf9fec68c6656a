package io.idempotency.boot.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.TransactionException;

import io.idempotency.TransactionMismatchException;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.transaction.DatabaseIdentity;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * The database that the relay of this process reads. It is one, even if the DataSource chooses between several: a message that is
 * published in another one would stay pending.
 */
final class RelayedDatabase {

    private static final Logger logger = LoggerFactory.getLogger(RelayedDatabase.class);

    private final RequiresNewTransaction transactions;

    private volatile @Nullable DatabaseIdentity relayed;

    /** The addresses of the relayed database, so that it is not asked again for each message. */
    private final Set<String> addresses = ConcurrentHashMap.newKeySet();

    RelayedDatabase(DataSource dataSource) {
        this.transactions = RequiresNewTransaction.on(dataSource);
    }

    /** Finds the database in the way of the relay. If that fails, nothing is refused. */
    void find() {
        try {
            relayed = transactions.call(connection -> {
                addresses.add(addressOf(connection));
                return StorageSchema.identityOf(connection);
            });
        } catch (DataAccessException | TransactionException failure) {
            logger.debug("The database of the relay could not be asked for its identity", failure);
        }
    }

    /** Throws unless the relay reads the database of the connection, whose transaction is to publish a message. */
    void require(Connection connection) {
        DatabaseIdentity expected = relayed;
        if (expected == null) {
            return;
        }
        String address = addressOf(connection);
        if (addresses.contains(address)) {
            return;
        }
        DatabaseIdentity found = StorageSchema.identityOf(connection);
        if (!found.hasDataOf(expected)) {
            throw new TransactionMismatchException("No message can be published in the database '" + found.name()
                    + "': the relay of this process reads another one, '" + expected.name()
                    + "', so that it would never be sent. Publish it in a transaction on that database; or set"
                    + " idempotency.outbox.relay = false here, and start for each database an instance whose DataSource is that"
                    + " database");
        }
        addresses.add(address);
    }

    private static String addressOf(Connection connection) {
        try {
            return connection.getMetaData().getURL() + ' ' + connection.getCatalog();
        } catch (SQLException closed) {
            throw new DataAccessResourceFailureException("The connection of the open transaction was lost", closed);
        }
    }
}
