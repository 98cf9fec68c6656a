package io.idempotency.boot.flyway;

import javax.sql.DataSource;

/** What a module does at start-up with tables that exist, before beans use them. */
public interface SchemaCallback {

    /**
     * Is called after the migrations, unless they are left to others.
     *
     * @param owner the DataSource of the role that has migrated
     */
    void afterMigration(DataSource owner);

    /** Is called after the tables were validated. */
    void afterValidation();
}
