package io.idempotency.internal.execution;

import java.sql.SQLException;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import io.idempotency.DatabaseResolver;

/** Resolves the database of a call to the target that a routing DataSource has chosen for its thread. */
public final class RoutedDatabase implements DatabaseResolver {

    private static final String THE_ONLY_ONE = "";

    private final AbstractRoutingDataSource routing;

    private RoutedDatabase(AbstractRoutingDataSource routing) {
        this.routing = routing;
    }

    /**
     * Creates the resolver for a DataSource.
     *
     * @param dataSource of the idempotency tables
     * @return one that gives always the same unless the DataSource is, or wraps, a routing one
     */
    public static DatabaseResolver of(DataSource dataSource) {
        try {
            if (dataSource.isWrapperFor(AbstractRoutingDataSource.class)) {
                return new RoutedDatabase(dataSource.unwrap(AbstractRoutingDataSource.class));
            }
        } catch (SQLException | RuntimeException notAWrapper) {
            return () -> THE_ONLY_ONE;
        }
        return () -> THE_ONLY_ONE;
    }

    /** The choice itself is protected, but a routing DataSource unwraps to what it has chosen. */
    @Override
    public Object resolveDatabase() {
        for (DataSource target : routing.getResolvedDataSources().values()) {
            Object chosen = findChosen(target.getClass());
            if (chosen != null) {
                return chosen;
            }
        }
        DataSource byDefault = routing.getResolvedDefaultDataSource();
        return byDefault == null ? THE_ONLY_ONE : byDefault;
    }

    private @Nullable Object findChosen(Class<?> type) {
        try {
            return !type.isInstance(routing) && routing.isWrapperFor(type) ? routing.unwrap(type) : null;
        } catch (SQLException notAWrapper) {
            return null;
        }
    }
}
