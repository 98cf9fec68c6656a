package io.idempotency.boot.flyway;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.internal.postgres.PostgresStorage;

/** The auto-configuration that migrates or validates the tables before beans that need a ready database. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
@EnableConfigurationProperties(IdempotencyMigrationProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class IdempotencyMigrationAutoConfiguration {

    /** A condition and no check when the application starts, because a native image cannot look up a class by its name. */
    @Bean
    @ConditionalOnClass(name = "org.flywaydb.core.Flyway")
    SchemaMigrations idempotencyFlywayMigrations() {
        return FlywayMigrations::run;
    }

    @Bean
    IdempotencySchemaInitializer idempotencySchemaInitializer(
            PostgresStorage storage,
            IdempotencyDataSource dataSource,
            IdempotencyProperties properties,
            IdempotencyMigrationProperties migration,
            ObjectProvider<SchemaMigrations> migrations,
            ObjectProvider<SchemaCallback> callbacks) {
        return new IdempotencySchemaInitializer(
                storage.schema(),
                storage.engineVerifier(),
                dataSource.dataSource(),
                properties,
                migration,
                migrations.getIfAvailable(),
                callbacks.orderedStream().toList());
    }
}
