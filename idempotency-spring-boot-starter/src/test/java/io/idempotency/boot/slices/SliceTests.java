package io.idempotency.boot.slices;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

import io.idempotency.boot.testing.Notebook;
import io.idempotency.test.TestDatabaseExtension;

/** An application's own test with a slice: its methods are as idempotent as in the whole application. */
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
@TestPropertySource(properties = SliceApplication.NO_MIGRATIONS)
@ContextConfiguration(classes = SliceApplication.WithJdbc.class)
abstract class SliceTests {

    @RegisterExtension
    static final TestDatabaseExtension DATABASE = new TestDatabaseExtension();

    @Autowired
    private Notebook notebook;

    @Autowired
    private JdbcTemplate jdbc;

    @DynamicPropertySource
    static void useDatabase(DynamicPropertyRegistry registry) {
        Notebook.createTable(DATABASE.database().jdbc());
        DATABASE.database().springProperties().forEach((name, value) -> registry.add(name, () -> value));
    }

    @Test
    void aRepeatReplays() {
        Notebook.assertIdempotent(notebook, jdbc);
    }
}
