package io.idempotency.internal.postgres.maintenance;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.retention.StorageSampler;
import io.idempotency.internal.retention.StorageStatistics;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

@PostgresTest
class TableStatisticsTest {

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private final StorageStatistics statistics;

    TableStatisticsTest(TestDatabase database) {
        this.database = database;
        // What a connection did is counted when it ends.
        this.admin = new JdbcTemplate(database.adminDataSource());
        this.statistics = MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                .statistics();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void clear() {
        admin.execute("truncate idempotency.idempotency_request, idempotency.processed_message");
    }

    @Test
    void tellsTheRowsOfATableThatWasNeverLookedAt() {
        insertMessages(1_000, "1 day");

        Awaitility.await()
                .untilAsserted(() -> assertThat(statistics.sample(1).rows())
                        .containsEntry("processed_message", 1_000L)
                        .containsEntry("stream_position", 0L));
    }

    @Test
    void followsATableThatHasGrownSinceItWasAnalyzed() {
        insertMessages(10_000, "1 day");
        admin.execute("analyze idempotency.processed_message");
        assertThat(statistics.sample(1).rows()).containsEntry("processed_message", 10_000L);

        insertMessages(10_000, "1 day");

        assertThat(statistics.sample(1).rows().get("processed_message")).isBetween(19_000L, 21_000L);
    }

    @Test
    void tellsHowLongTheOldestRowHasBeenExpired() {
        insertMessages(3, "1 day");
        assertThat(statistics.sample(1).oldestExpired())
                .containsOnlyKeys("idempotency_request", "processed_message", "message_failure", "outbox_event")
                .containsEntry("processed_message", Duration.ZERO);

        insertMessages(3, "-2 hours");
        assertThat(statistics.sample(1).oldestExpired().get("processed_message").toSeconds())
                .isCloseTo(7_200, within(60L));
    }

    @Test
    void leavesOutRowsThatAreNeverPurged() throws SQLException {
        leaveLease("active", "1 minute");
        try (Session session = new Session(database.connection())) {
            session.claimGranted(Requests.request("abandoned")).commit();
        }
        admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '10 years'");
        assertThat(statistics.sample(1).oldestExpired()).containsEntry("idempotency_request", Duration.ZERO);

        leaveLease("stale", "-1 day");
        admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '10 years'");
        assertThat(statistics.sample(1).oldestExpired().get("idempotency_request"))
                .isGreaterThan(Duration.ofDays(365));
    }

    @Test
    void countsLeasesThatHaveExpiredAndNoOthers() throws SQLException {
        leaveLease("stale-1", "-1 day");
        leaveLease("stale-2", "-1 second");
        leaveLease("active", "1 minute");
        try (Session session = new Session(database.connection())) {
            session.call(Requests.request("done"), "1");
            session.claimGranted(Requests.request("abandoned")).commit();
        }

        assertThat(statistics.sample(100).staleLeases()).isEqualTo(2);
        assertThat(statistics.sample(1).staleLeases()).isOne();
    }

    @Test
    void findsLeasesByTheirIndex() throws SQLException {
        try (Session session = new Session(database.connection())) {
            session.execute("set enable_seqscan = off");

            assertThat(session.query("explain (format json) select 1 from idempotency.idempotency_request"
                            + " where locked_until <= statement_timestamp()"))
                    .contains("idempotency_request_lease");
        }
    }

    @Test
    void isHandedToListeners() throws SQLException {
        insertMessages(5, "-2 hours");
        leaveLease("stale", "-1 day");
        admin.execute("analyze idempotency.processed_message");
        List<StorageSampled> events = new ArrayList<>();

        new StorageSampler(statistics, new IdempotencyListener() {
                    @Override
                    public void storageSampled(StorageSampled event) {
                        events.add(event);
                    }
                })
                .sample();

        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.staleLeases()).isOne();
            assertThat(event.tables())
                    .extracting(TableSample::table)
                    .containsExactlyInAnyOrder(
                            "idempotency_request",
                            "processed_message",
                            "message_failure",
                            "stream_position",
                            "outbox_event");
            assertThat(event.tables())
                    .filteredOn(table -> table.table().equals("processed_message"))
                    .singleElement()
                    .satisfies(table -> {
                        assertThat(table.rows()).isEqualTo(5);
                        assertThat(table.oldestExpired()).isGreaterThan(Duration.ofHours(1));
                    });
        });
    }

    /** Else a lock of an operator's would cost every instance a connection. */
    @Test
    @Tag("full")
    void doNotWaitLongForATableThatIsLocked() throws SQLException {
        try (Session locking = new Session(database.connection())) {
            locking.execute("lock table idempotency.processed_message in access exclusive mode");

            assertThat(ConcurrentCalls.start(1, () -> statistics.sample(1))
                            .await(Duration.ofSeconds(15))
                            .failures())
                    .singleElement()
                    .isInstanceOf(DataAccessException.class);
        }
    }

    private void leaveLease(String key, String lockedUntil) throws SQLException {
        try (Session session = new Session(database.connection())) {
            session.claimGranted(Requests.leased(key)).commit();
        }
        admin.update(
                "update idempotency.idempotency_request set locked_until = now() + ?::interval where idempotency_key = ?",
                lockedUntil,
                key);
    }

    private void insertMessages(int rows, String expiresIn) {
        admin.update("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                select 'test', gen_random_uuid()::text, now(), now() + ?::interval
                from generate_series(1, ?) i""", expiresIn, rows);
    }
}
