package io.idempotency.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Starts the wallet on a PostgreSQL server that it brings along, or with {@code --spring.profiles.active=postgres} on
 * the one that {@code --spring.datasource.url=...} names.
 */
@SpringBootApplication
public class SampleApplication {

    /**
     * Starts it.
     *
     * @param arguments properties as {@code --name=value}
     */
    public static void main(String[] arguments) {
        SpringApplication.run(SampleApplication.class, arguments);
    }
}
