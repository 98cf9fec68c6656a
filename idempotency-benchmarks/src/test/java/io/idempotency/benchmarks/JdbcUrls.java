package io.idempotency.benchmarks;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

import io.idempotency.test.TestDatabase;

/** The server of the tests as a benchmark is told of it. */
public final class JdbcUrls {

    private JdbcUrls() {}

    public static String withCredentials(TestDatabase database) {
        return database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + "user="
                + URLEncoder.encode(database.username(), StandardCharsets.UTF_8) + "&password="
                + URLEncoder.encode(database.password(), StandardCharsets.UTF_8);
    }
}
