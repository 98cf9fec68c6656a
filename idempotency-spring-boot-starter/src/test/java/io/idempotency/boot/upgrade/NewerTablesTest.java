package io.idempotency.boot.upgrade;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.IdempotencyOperations;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** An instance with this version of the library is started again after a newer one has migrated the tables. */
@PostgresTest(empty = true)
class NewerTablesTest {

    private final TestDatabase database;

    NewerTablesTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void whatALaterMigrationHasAddedIsNoObstacle() {
        start().close();
        database.jdbc().execute("""
                alter table idempotency.idempotency_request add column region text not null default 'eu';
                create table idempotency.added_later (id bigint primary key);
                insert into idempotency.idempotency_schema_history
                select installed_rank + 1, '999', 'added later', type, 'V999__added_later.sql', 1, installed_by,
                    now(), 1, true
                from idempotency.idempotency_schema_history
                order by installed_rank desc limit 1""");

        try (ConfigurableApplicationContext application = start()) {
            IdempotencyOperations operations = application.getBean(IdempotencyOperations.class);

            assertThat(operations.execute("greetings", "a-key", "", String.class, () -> "hello"))
                    .isEqualTo("hello");
            assertThat(operations.execute("greetings", "a-key", "", String.class, () -> "good bye"))
                    .isEqualTo("hello");
        }
    }

    private ConfigurableApplicationContext start() {
        return JdbcTestApplication.start(database, new Class<?>[0]);
    }
}
