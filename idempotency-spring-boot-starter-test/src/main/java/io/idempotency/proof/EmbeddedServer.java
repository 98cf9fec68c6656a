package io.idempotency.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.springframework.util.function.SingletonSupplier;

/** The PostgreSQL binaries on the class path, as one server of this JVM, which ends with it. */
final class EmbeddedServer {

    private static final SingletonSupplier<EmbeddedPostgres> SERVER = SingletonSupplier.of(EmbeddedServer::start);

    private EmbeddedServer() {}

    /** Returns the properties of the connection. */
    static Map<String, Object> connection() {
        EmbeddedPostgres server = SERVER.obtain();
        return Map.of(
                "spring.datasource.url", "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres",
                "spring.datasource.username", "postgres",
                "spring.datasource.password", "");
    }

    private static EmbeddedPostgres start() {
        try {
            return EmbeddedPostgres.builder()
                    .setServerConfig("wal_level", "logical")
                    .setServerConfig("fsync", "off")
                    .setServerConfig("max_connections", "300")
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL did not start", e);
        }
    }
}
