package io.idempotency.internal.outbox;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Many messages wait behind one that failed, and the relay looks whether something else is due. */
@PostgresTest
class HeldUpKeyTest {

    private static final int MESSAGES = 2_000;

    /** A few index entries for each message, and far from all messages for each message. */
    private static final int READ_FOR_EACH = 50;

    private static final int ROUNDS = 12;

    private final TestDatabase database;

    private final JdbcTemplate admin;

    HeldUpKeyTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "attempt_count = 1, next_attempt_at = clock_timestamp() + interval '1 hour'",
                "topic = 'of-others'"
            })
    void eachMessageBehindOneThatIsNotSentIsLookedAtAndNotAllForEachOfThem(String change) throws Exception {
        admin.execute("truncate idempotency.outbox_event; select pg_stat_reset()");
        HikariDataSource pool = database.dataSource(1);
        OutboxRelay relay = new OutboxRelay(
                new Publisher(pool).store,
                new RecordingSender().withTopics("orders"),
                new RelaySettings(
                        100, Duration.ofSeconds(10), 3, new Backoff(Duration.ofMinutes(1), 2, Duration.ofHours(1))),
                new MessagingListener() {});
        // PostgreSQL keeps a plan that was made while the table was empty.
        for (int i = 0; i < ROUNDS; i++) {
            relay.sendBatch();
        }
        insertBehindOneThatIsNotSent(change);
        assertThat(relay.sendBatch()).isEqualTo(OutboxRelay.Round.NOTHING_DUE);
        admin.execute("analyze idempotency.outbox_event");
        assertThat(relay.sendBatch()).isEqualTo(OutboxRelay.Round.NOTHING_DUE);

        database.backends().awaitStatistics();
        assertThat(entriesRead())
                .as("rows and index entries read by the relay")
                .isLessThan(2L * MESSAGES * READ_FOR_EACH);
    }

    private void insertBehindOneThatIsNotSent(String change) {
        admin.update("""
                insert into idempotency.outbox_event (
                    message_id, topic, message_type, ordering_key, lane, payload, headers, status, attempt_count,
                    created_at, due_at, next_attempt_at)
                select gen_random_uuid(), 'orders', 'OrderPlaced', 'customer', 1, '1', '{}', 'pending', 0,
                       clock_timestamp(), clock_timestamp(), clock_timestamp()
                from generate_series(1, ?)""", MESSAGES);
        admin.execute("update idempotency.outbox_event set " + change
                + " where sequence = (select min(sequence) from idempotency.outbox_event)");
    }

    private long entriesRead() {
        Long read = admin.queryForObject("""
                select (select sum(seq_tup_read) from pg_stat_user_tables where relname like 'outbox\\_event%')
                     + (select sum(idx_tup_read) from pg_stat_user_indexes where relname like 'outbox\\_event%')""", Long.class);
        return read == null ? 0 : read;
    }
}
