package io.idempotency.boot.slices;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcOperations;

import io.idempotency.boot.testing.Notebook;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The applications whose slices are tested, and what each test does. */
final class SliceApplication {

    /** Both are on the class path of these tests, and there is nothing for them to do. */
    static final String NO_MIGRATIONS = "spring.liquibase.enabled=false\nspring.flyway.enabled=false";

    private SliceApplication() {}

    static void assertReplays(Notebook notebook, JdbcOperations jdbc) {
        assertThat(notebook.write("key", "text")).isEqualTo(notebook.write("key", "text"));
        assertThat(Notebook.count(jdbc)).isOne();
    }

    static TestDatabase withNotes(TestDatabase database) {
        Notebook.createTable(database.jdbc());
        return database;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Notebook.class)
    static class WithJdbc {}
}
