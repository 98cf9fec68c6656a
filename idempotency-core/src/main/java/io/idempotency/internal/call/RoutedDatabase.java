package io.idempotency.internal.call;

import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import io.idempotency.DatabaseResolver;

/** Resolves the database of a call: the target that a routing DataSource has chosen for the thread. */
public final class RoutedDatabase implements DatabaseResolver {

    private static final String SINGLE_DATABASE = "";

    private static final DatabaseResolver SINGLE = () -> SINGLE_DATABASE;

    private final AbstractRoutingDataSource routing;

    private RoutedDatabase(AbstractRoutingDataSource routing) {
        this.routing = routing;
    }

    /**
     * Creates the resolver for a DataSource.
     *
     * @return the resolver, which returns always the same object unless the DataSource is, or wraps, a routing one
     */
    public static DatabaseResolver of(DataSource dataSource) {
        try {
            if (dataSource.isWrapperFor(AbstractRoutingDataSource.class)) {
                return new RoutedDatabase(dataSource.unwrap(AbstractRoutingDataSource.class));
            }
        } catch (SQLException | RuntimeException notAWrapper) {
            return SINGLE;
        }
        return SINGLE;
    }

    /**
     * Returns whether a resolver belongs to a DataSource that chooses between no databases.
     *
     * @return {@code true} if it returns always the same object
     */
    public static boolean isSingle(DatabaseResolver resolver) {
        return resolver == SINGLE;
    }

    /** Returns the DataSources that the routing one chooses between. */
    public Map<Object, DataSource> targets() {
        return routing.getResolvedDataSources();
    }

    /** Finds the chosen target by unwrapping, because the method that chooses it is protected. */
    @Override
    public Object resolveDatabase() {
        for (DataSource target : routing.getResolvedDataSources().values()) {
            Object chosen = findChosen(target.getClass());
            if (chosen != null) {
                return chosen;
            }
        }
        DataSource defaultTarget = routing.getResolvedDefaultDataSource();
        return defaultTarget == null ? SINGLE_DATABASE : defaultTarget;
    }

    private @Nullable Object findChosen(Class<?> type) {
        try {
            return !type.isInstance(routing) && routing.isWrapperFor(type) ? routing.unwrap(type) : null;
        } catch (SQLException notAWrapper) {
            return null;
        }
    }
}
