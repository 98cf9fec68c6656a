package io.idempotency.sample.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

import io.idempotency.sample.cluster.Fault.Kind;

/** The database of the instances; it is also the node that they connect to. */
interface ClusterServer extends DatabaseNode, AutoCloseable {

    /** Those that can happen to it and to its instances. */
    Set<Kind> faults();

    String url();

    String user();

    String password();

    /** A new connection on every call. */
    DataSource dataSource();

    /** To be called before the instances start, with the directory of their logs. */
    default void prepare(Path logs) throws IOException {}

    /** Other nodes that hold a part of the data. */
    default List<CitusNode> workers() {
        return List.of();
    }

    /** Returns when no transaction is left in doubt by a crash. */
    default void awaitRecovery() {}

    default void addTo(Figures figures) {}

    @Override
    void close() throws IOException;
}
