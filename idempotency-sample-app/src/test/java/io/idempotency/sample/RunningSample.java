package io.idempotency.sample;

import java.util.stream.Stream;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The sample in this JVM, on any free port and on the database that it brings along. */
record RunningSample(ConfigurableApplicationContext application) implements AutoCloseable {

    /** With more properties, as {@code --name=value}. */
    static RunningSample start(String... properties) {
        String[] arguments = Stream.concat(Stream.of("--server.port=0"), Stream.of(properties))
                .toArray(String[]::new);
        return new RunningSample(SpringApplication.run(SampleApplication.class, arguments));
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
    }
}
