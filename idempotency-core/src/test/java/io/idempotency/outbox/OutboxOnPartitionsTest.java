package io.idempotency.outbox;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import io.idempotency.postgres.MigratedTables;
import io.idempotency.postgres.PostgresStorage;
import io.idempotency.retention.ExpiringTable;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Publishing and sending keep all that they promise where messages that were sent are in partitions. */
@PostgresTest
class OutboxOnPartitionsTest {

    @BeforeAll
    static void partition(TestDatabase database) {
        MigratedTables.withPartitionsOfSentMessages(database);
    }

    @AfterAll
    static void isStillPartitioned(TestDatabase database) {
        assertThat(database.jdbc()
                        .queryForObject(
                                "select relkind from pg_class where oid = 'idempotency.outbox_event'::regclass",
                                String.class))
                .isEqualTo("p");
    }

    @Nested
    class Publishing extends PublishTest {

        private final TestDatabase database;

        Publishing(TestDatabase database) {
            super(database);
            this.database = database;
        }

        /** Whole partitions are dropped instead. */
        @Test
        @Override
        void sentMessagesArePurgedAfterTheirRetentionAndOthersStay() {
            assertThat(new PostgresStorage(database.dataSource(), MigratedTables.SCHEMA)
                            .purgeStore("test", false)
                            .begin(Duration.ZERO)
                            .tables())
                    .extracting(ExpiringTable::name)
                    .contains("idempotency_request")
                    .doesNotContain("outbox_event");
        }
    }

    @Nested
    class Relaying extends RelayTest {

        Relaying(TestDatabase database) {
            super(database);
        }
    }

    @Nested
    class SeveralAtOnce extends SeveralRelaysTest {

        SeveralAtOnce(TestDatabase database) {
            super(database);
        }
    }
}
