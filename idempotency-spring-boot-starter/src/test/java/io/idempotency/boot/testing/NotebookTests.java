package io.idempotency.boot.testing;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** A database for a {@link Notebook}. After each test it is empty, and without the tables of the library. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class NotebookTests {

    protected TestDatabase database;

    protected JdbcTemplate admin;

    @BeforeAll
    void createTable(TestDatabase ofTheClass) {
        database = ofTheClass;
        admin = database.jdbc();
        Notebook.createTable(admin);
    }

    @AfterEach
    void forgetEverything() {
        admin.execute("truncate note; drop schema if exists idempotency cascade");
    }
}
