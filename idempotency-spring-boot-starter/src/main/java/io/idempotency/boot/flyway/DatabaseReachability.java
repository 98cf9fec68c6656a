package io.idempotency.boot.flyway;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.postgres.jdbc.SqlFailures;

/** The check at start-up that a database gives connections. Its failures name the database and its properties. */
final class DatabaseReachability {

    /** Properties of pools, of Spring's DataSources and of the driver's. */
    private static final String[] URL_PROPERTIES = {"jdbcUrl", "url", "URL"};

    private static final String HOST = "(?:[\\w.-]+|\\[[\\da-fA-F:]+])(?::\\d+)?";

    /** Matches a URL up to the name of the database: no part that could be a password. */
    private static final Pattern WITHOUT_CREDENTIALS =
            Pattern.compile("^jdbc:[a-z]+:(?://" + HOST + "(?:," + HOST + ")*(?:/|$))?[\\w.%-]*");

    private final @Nullable String dataSourceName;

    private final @Nullable String migrationUrl;

    /**
     * Creates the check.
     *
     * @param dataSourceName {@code idempotency.data-source}
     * @param migrationUrl {@code idempotency.migration.url}
     */
    DatabaseReachability(@Nullable String dataSourceName, @Nullable String migrationUrl) {
        this.dataSourceName = dataSourceName;
        this.migrationUrl = migrationUrl;
    }

    void requireApplicationDatabase(DataSource dataSource) {
        require(
                dataSource,
                "The database of the idempotency tables gives no connection",
                dataSourceName == null ? "the application's DataSource" : "idempotency.data-source = " + dataSourceName,
                "Start the database, or correct what the DataSource connects to (spring.datasource.url,"
                        + " spring.datasource.username and spring.datasource.password, if it is Spring Boot's). Name another"
                        + " DataSource with idempotency.data-source.");
    }

    void requireMigrationDatabase(DataSource owner) {
        require(
                owner,
                "The idempotency tables could not be migrated, because their database gives no connection",
                migrationUrl == null ? "idempotency.migration.user" : "idempotency.migration.url",
                "Start the database, or correct idempotency.migration.url, idempotency.migration.user and"
                        + " idempotency.migration.password; or set idempotency.migrate = false, and let others run the"
                        + " migrations.");
    }

    private static void require(DataSource dataSource, String problem, String name, String action) {
        try (Connection connection = dataSource.getConnection()) {
            connection.getMetaData();
        } catch (SQLException | RuntimeException failure) {
            String url = urlOf(dataSource);
            throw new IdempotencyStartupException(
                    problem + " (" + name + (url == null ? "" : ", " + url) + "): " + SqlFailures.reason(failure) + ".",
                    action,
                    failure);
        }
    }

    private static @Nullable String urlOf(DataSource dataSource) {
        if (dataSource instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
            return urlOf(delegating.getTargetDataSource());
        }
        Object target = AopProxyUtils.getSingletonTarget(dataSource);
        BeanWrapper bean = PropertyAccessorFactory.forBeanPropertyAccess(target == null ? dataSource : target);
        for (String property : URL_PROPERTIES) {
            if (bean.isReadableProperty(property) && bean.getPropertyValue(property) instanceof String url) {
                Matcher shown = WITHOUT_CREDENTIALS.matcher(url);
                return shown.find() ? shown.group() : null;
            }
        }
        return null;
    }
}
