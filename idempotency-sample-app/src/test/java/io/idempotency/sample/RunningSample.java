package io.idempotency.sample;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.test.TestDatabase;

/** The sample in this JVM. */
record RunningSample(ConfigurableApplicationContext application, Runnable dropDatabase) implements AutoCloseable {

    /** On any free port and a database of its own, with more properties as {@code --name=value}. */
    static RunningSample start(String... properties) {
        return start(0, properties);
    }

    static RunningSample start(int port, String... properties) {
        TestDatabase database = TestDatabase.create();
        return new RunningSample(run(database, port, properties), database::close);
    }

    /** On any free port and a database that the caller closes. */
    static RunningSample startOn(TestDatabase database, String... properties) {
        return new RunningSample(run(database, 0, properties), () -> {});
    }

    private static ConfigurableApplicationContext run(TestDatabase database, int port, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(properties));
        arguments.add("--server.port=" + port);
        arguments.add("--spring.profiles.include=postgres");
        database.springProperties().forEach((name, value) -> arguments.add("--" + name + "=" + value));
        return SpringApplication.run(SampleApplication.class, arguments.toArray(String[]::new));
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
        dropDatabase.run();
    }
}
