package io.idempotency.test;

import org.testcontainers.postgresql.PostgreSQLContainer;

/** The official image under Testcontainers, which removes the container when this JVM ends. */
record ContainerServer(ServerAddress address) implements RunningServer {

    static ContainerServer start(int majorVersion) {
        PostgreSQLContainer container = new PostgreSQLContainer("postgres:" + majorVersion + "-alpine")
                .withDatabaseName("postgres")
                .withUsername("postgres")
                .withPassword("postgres");
        container.setCommand("postgres", "-c", "fsync=" + TestSize.pick("off", "on"), "-c", "max_connections=300");
        container.start();
        return new ContainerServer(new ServerAddress(
                container.getHost(),
                container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT),
                container.getDatabaseName(),
                "",
                container.getUsername(),
                container.getPassword()));
    }
}
