package io.idempotency.boot.flyway;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The role and the URL that migrate the tables.
 *
 * @param url JDBC URL to migrate with. By default, the URL of the DataSource.
 * @param user Role to migrate with, if the application's role may not create tables. It becomes the owner of the tables
 *     and grants the application's role their use.
 * @param password Password of the role to migrate with.
 */
@ConfigurationProperties("idempotency.migration")
public record IdempotencyMigrationProperties(
        @Nullable String url,
        @Nullable String user,
        @Nullable String password) {}
