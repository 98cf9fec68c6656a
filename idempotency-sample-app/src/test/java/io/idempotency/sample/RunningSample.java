package io.idempotency.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.FileSystemUtils;

/** The sample in this JVM, on a new database that it brings along. */
record RunningSample(ConfigurableApplicationContext application, Path data) implements AutoCloseable {

    /** On any free port, with more properties as {@code --name=value}. */
    static RunningSample start(String... properties) {
        return start(0, properties);
    }

    static RunningSample start(int port, String... properties) {
        Path data = Path.of("target", "data-" + UUID.randomUUID());
        List<String> arguments = new ArrayList<>(List.of(properties));
        arguments.add("--server.port=" + port);
        arguments.add("--sample.database.directory=" + data);
        return new RunningSample(
                SpringApplication.run(SampleApplication.class, arguments.toArray(String[]::new)), data);
    }

    int port() {
        return Integer.parseInt(application.getEnvironment().getRequiredProperty("local.server.port"));
    }

    String url() {
        return "http://localhost:" + port();
    }

    JdbcClient jdbc() {
        return application.getBean(JdbcClient.class);
    }

    @Override
    public void close() {
        application.close();
        try {
            FileSystemUtils.deleteRecursively(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
