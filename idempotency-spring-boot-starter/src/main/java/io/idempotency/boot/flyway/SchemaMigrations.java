package io.idempotency.boot.flyway;

import java.sql.Connection;
import java.util.List;

import io.idempotency.internal.postgres.schema.StorageFeature;

/** The migrations of the tables, which an application that leaves them to others may do without. */
@FunctionalInterface
interface SchemaMigrations {

    /**
     * Migrates each feature, in the order of the list.
     *
     * @param connection the connection of the transaction, which the migrations must not end
     */
    void run(Connection connection, String schema, List<StorageFeature> features, ClassLoader classLoader);
}
