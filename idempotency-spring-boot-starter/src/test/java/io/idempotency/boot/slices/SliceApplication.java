package io.idempotency.boot.slices;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.testing.Notebook;

/** The application whose slices are tested. */
final class SliceApplication {

    /** Both are on the class path of these tests, and there is nothing for them to do. */
    static final String NO_MIGRATIONS = "spring.liquibase.enabled=false\nspring.flyway.enabled=false";

    private SliceApplication() {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Notebook.class)
    static class WithJdbc {}
}
