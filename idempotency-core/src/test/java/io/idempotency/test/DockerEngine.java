package io.idempotency.test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

import org.testcontainers.DockerClientFactory;

/**
 * Tells whether a Docker engine answers. Testcontainers logs errors and stack traces where there is none, so it is
 * asked only when something hints at an engine.
 */
final class DockerEngine {

    private DockerEngine() {}

    static boolean answers() {
        return isHinted() && DockerClientFactory.instance().isDockerAvailable();
    }

    private static boolean isHinted() {
        if (System.getenv("DOCKER_HOST") != null
                || System.getProperty("os.name").startsWith("Windows")) {
            return true;
        }
        Path home = Path.of(System.getProperty("user.home"));
        String runtimeDirectory = System.getenv("XDG_RUNTIME_DIR");
        return Stream.of(
                        Path.of("/var/run/docker.sock"),
                        home.resolve(".docker/run/docker.sock"),
                        home.resolve(".docker/desktop/docker.sock"),
                        home.resolve(".testcontainers.properties"),
                        runtimeDirectory == null ? null : Path.of(runtimeDirectory, "docker.sock"))
                .filter(Objects::nonNull)
                .anyMatch(Files::exists);
    }
}
