package io.idempotency.test;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server listens and who may create databases there; makes the JDBC URL of each of its databases. */
record ServerAddress(String host, int port, String database, String parameters, String username, String password) {

    private static final Pattern URL =
            Pattern.compile("jdbc:postgresql://(\\[[^]]+]|[^:/?,]+)(?::(\\d+))?/([^?]+)(?:\\?(.*))?");

    /** Reads a URL that names one host, a database to connect to first, a user and a password. */
    static ServerAddress parse(String url) {
        Matcher matcher = URL.matcher(url);
        if (!matcher.matches()) {
            throw unusable();
        }
        String username = null;
        String password = null;
        List<String> others = new ArrayList<>();
        String query = matcher.group(4) == null ? "" : matcher.group(4);
        for (String parameter : query.split("&", -1)) {
            if (parameter.startsWith("user=")) {
                username = decode(parameter);
            } else if (parameter.startsWith("password=")) {
                password = decode(parameter);
            } else if (!parameter.isEmpty()) {
                others.add(parameter);
            }
        }
        if (username == null || password == null) {
            throw unusable();
        }
        int port = matcher.group(2) == null ? 5432 : Integer.parseInt(matcher.group(2));
        return new ServerAddress(
                matcher.group(1), port, matcher.group(3), String.join("&", others), username, password);
    }

    /** Without user and password: those are given separately, as an application does. */
    String jdbcUrl(String database) {
        String url = "jdbc:postgresql://" + host + ":" + port + "/" + database;
        return parameters.isEmpty() ? url : url + "?" + parameters;
    }

    /** The same for another server that knows the same role. */
    ServerAddress at(String otherHost, int otherPort) {
        return new ServerAddress(otherHost, otherPort, database, parameters, username, password);
    }

    private static String decode(String parameter) {
        return URLDecoder.decode(parameter.substring(parameter.indexOf('=') + 1), StandardCharsets.UTF_8);
    }

    /** Does not repeat the URL: it holds a password, and test output is often public. */
    private static IllegalArgumentException unusable() {
        return new IllegalArgumentException(TestDatabaseServer.URL_VARIABLE
                + " must look like jdbc:postgresql://host:5432/postgres?user=...&password=..."
                + " and name a role that may create databases");
    }
}
