package io.idempotency.boot;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.logging.IdempotencyLoggingAutoConfiguration;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxAutoConfiguration;
import io.idempotency.boot.messaging.logging.IdempotencyMessagingLoggingAutoConfiguration;
import io.idempotency.boot.messaging.metrics.IdempotencyMessagingMetricsAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.boot.metrics.IdempotencyMetricsAutoConfiguration;
import io.idempotency.boot.properties.IdempotencyPropertiesAutoConfiguration;
import io.idempotency.boot.resume.IdempotencyResumeAutoConfiguration;
import io.idempotency.boot.retention.IdempotencyRetentionAutoConfiguration;
import io.idempotency.boot.security.IdempotencySecurityAutoConfiguration;
import io.idempotency.test.TestDatabase;

/** An application with plain JDBC and nothing else of what is on the class path of these tests. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    AopAutoConfiguration.class,
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    JdbcClientAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    TransactionAutoConfiguration.class,
    IdempotencyAutoConfiguration.class,
    IdempotencyLoggingAutoConfiguration.class,
    IdempotencyInboxAutoConfiguration.class,
    IdempotencyMessagingAutoConfiguration.class,
    IdempotencyMessagingLoggingAutoConfiguration.class,
    IdempotencyMessagingMetricsAutoConfiguration.class,
    IdempotencyMessagingStorageAutoConfiguration.class,
    IdempotencyMigrationAutoConfiguration.class,
    IdempotencyMetricsAutoConfiguration.class,
    IdempotencyPropertiesAutoConfiguration.class,
    IdempotencyResumeAutoConfiguration.class,
    IdempotencyRetentionAutoConfiguration.class,
    IdempotencySecurityAutoConfiguration.class
})
public class JdbcTestApplication {

    /**
     * Starts it.
     *
     * @param database that it uses
     * @param beans further configuration or component classes
     * @param properties as {@code name=value}; later ones win
     */
    public static ConfigurableApplicationContext start(TestDatabase database, Class<?>[] beans, String... properties) {
        return start(database.springProperties(), beans, properties);
    }

    /** Starts it on the database that these settings name, or else the environment. */
    public static ConfigurableApplicationContext start(
            Map<String, Object> dataSource, Class<?>[] beans, String... properties) {
        Class<?>[] sources = Arrays.copyOf(beans, beans.length + 1);
        sources[beans.length] = JdbcTestApplication.class;
        return new SpringApplicationBuilder(sources)
                .web(WebApplicationType.NONE)
                .bannerMode(org.springframework.boot.Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(dataSource)
                .properties("idempotency.verify-responses=true")
                .properties(properties)
                .run();
    }

    /** Returns these properties of a test behind those that its applications have in common. */
    public static String[] and(String[] properties, String... common) {
        return Stream.concat(Stream.of(common), Stream.of(properties)).toArray(String[]::new);
    }
}
