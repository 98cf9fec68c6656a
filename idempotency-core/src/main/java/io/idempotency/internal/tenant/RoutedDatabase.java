package io.idempotency.internal.tenant;

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

    /** Returns whether a resolver belongs to a DataSource that chooses between no databases. */
    public static boolean isSingle(DatabaseResolver resolver) {
        return resolver == SINGLE;
    }

    /**
     * Returns the DataSources that the routing one chooses between.
     *
     * @throws IllegalStateException if it does not tell them
     */
    public Map<Object, DataSource> targets() {
        try {
            return routing.getResolvedDataSources();
        } catch (IllegalStateException unresolved) {
            throw new IllegalStateException(
                    "The routing DataSource " + routing.getClass().getName()
                            + " does not tell between which databases it chooses, so that equal keys of two of them could not"
                            + " be told apart: let its afterPropertiesSet resolve its targets, or define a DatabaseResolver bean"
                            + " that returns one name for each database",
                    unresolved);
        }
    }

    /** Finds the chosen target by unwrapping, because the method that chooses it is protected. */
    @Override
    public Object resolveDatabase() {
        for (DataSource target : targets().values()) {
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
