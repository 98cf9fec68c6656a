package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.internal.postgres.PartitionedMessages;
import io.idempotency.internal.postgres.SqlRoles;
import io.idempotency.internal.postgres.SqlSession;
import io.idempotency.internal.postgres.partition.PartitionPeriod;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The functions and views for callers that are not Java, where what they read and write has been put in partitions. */
@NotOnCitus
@Tag("full")
class SqlInboxClaimOnPartitionsTest extends SqlInboxClaimTest {

    private final TestDatabase database;

    SqlInboxClaimOnPartitionsTest(TestDatabase database) {
        super(database);
        this.database = database;
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        database.jdbc().execute("create view handled as select message_id from idempotency.processed_message");
        PartitionedMessages.in(database, PartitionPeriod.DAY);
        // As an application has one that streams its changes.
        database.jdbc().execute("create publication everything for all tables");
    }

    @AfterAll
    static void areStillPartitioned(TestDatabase database) {
        assertThat(database.jdbc().queryForList("""
                        select relname
                        from pg_class
                        where relnamespace = 'idempotency'::regnamespace and relkind = 'p'
                        order by relname""", String.class)).containsExactly("processed_message");
        database.jdbc().execute("drop publication everything");
    }

    @Test
    void viewsShowWhatHasComeSince() throws SQLException {
        try (SqlSession session = new SqlSession(SqlRoles.worker(database))) {
            session.consume("m-1");
            session.commit();
        }

        assertThat(database.jdbc().queryForList("select message_id from handled", String.class))
                .containsExactly("m-1");
    }

    @Test
    void purgeLeavesPartitionsAlone() throws SQLException {
        try (SqlSession session = new SqlSession(SqlRoles.worker(database))) {
            session.consume("old");
            session.commit();
        }
        database.jdbc().update("update idempotency.processed_message set expires_at = now() - interval '1 day'");

        database.jdbc().execute("call idempotency.idempotency_purge(100, '1 ms')");

        assertThat(database.jdbc().queryForList("select message_id from handled", String.class))
                .containsExactly("old");
    }
}
