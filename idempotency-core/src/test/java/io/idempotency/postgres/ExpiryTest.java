package io.idempotency.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;
import io.idempotency.retention.ExpiringTable;
import io.idempotency.retention.Purge;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** What a purge deletes of {@code idempotency_request}, and how several get along. */
@PostgresTest
class ExpiryTest {

    private static final String INSERT = """
            insert into idempotency.idempotency_request (
                request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                claimed_by, claimed_at, attempt_count, created_at, updated_at, expires_at)
            select idempotency.idempotency_request_id('payments', ? || i), 'payments', '', ? || i, '\\x01', 1, ?,
                   'test', now(), 1, now(), now(), now() + ?::interval
            from generate_series(1, ?) i""";

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private final ExpiringTable requests;

    ExpiryTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.requests = requestsOf(database.dataSource());
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void clear() {
        admin.execute("truncate idempotency.idempotency_request");
    }

    @Test
    void onlyExpiredRowsAreDeleted() {
        insert("old", "succeeded", "-1 second", 3);
        insert("young", "succeeded", "1 minute", 2);

        assertThat(requests.deleteExpired(100)).isEqualTo(3);

        assertThat(keys()).containsExactly("young1", "young2");
    }

    @Test
    void aRowThatIsBeingProcessedIsNeverDeleted() {
        insert("processing", "processing", "-10 years", 2);
        insert("failed", "failed_final", "-1 second", 1);
        insert("retryable", "failed_retryable", "-1 second", 1);

        assertThat(requests.deleteExpired(100)).isEqualTo(2);

        assertThat(keys()).containsExactly("processing1", "processing2");
    }

    @Test
    void theLimitIsKept() {
        insert("old", "succeeded", "-1 second", 7);

        assertThat(requests.deleteExpired(5)).isEqualTo(5);
        assertThat(requests.deleteExpired(5)).isEqualTo(2);
        assertThat(requests.deleteExpired(5)).isZero();
    }

    @Test
    void aRowThatIsLockedIsLeftForLaterWithoutWaiting() throws SQLException {
        insert("old", "succeeded", "-1 second", 3);
        try (Session locking = new Session(database.connection())) {
            locking.execute(
                    "select 1 from idempotency.idempotency_request where idempotency_key = 'old2' for key share");

            assertThat(ConcurrentCalls.start(1, () -> requests.deleteExpired(100))
                            .await(Duration.ofSeconds(10))
                            .requireAllSucceeded())
                    .containsExactly(2);
        }
        assertThat(keys()).containsExactly("old2");
    }

    @Test
    void itsTransactionIsCommittedEvenIfThePoolDoesNotCommitByItself() {
        insert("old", "succeeded", "-1 second", 3);
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.adminDataSource());
        config.setAutoCommit(false);
        config.setMaximumPoolSize(1);

        try (HikariDataSource pool = new HikariDataSource(config)) {
            assertThat(requestsOf(pool).deleteExpired(100)).isEqualTo(3);
        }

        assertThat(keys()).isEmpty();
    }

    @Test
    void itsTransactionIsNoPartOfAnOuterOne() {
        insert("old", "succeeded", "-1 second", 3);
        TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));

        outer.executeWithoutResult(status -> {
            assertThat(requests.deleteExpired(100)).isEqualTo(3);
            status.setRollbackOnly();
        });

        assertThat(keys()).isEmpty();
    }

    @Test
    void aPurgedKeyIsNewAgain() throws SQLException {
        insert("old", "succeeded", "-1 second", 1);
        requests.deleteExpired(1);

        try (Session session = new Session(database.connection())) {
            session.claimGranted(Requests.request("old1", "another payload"));
        }
    }

    @Test
    @Tag("race")
    void severalAtOnceDeleteEveryRowOnceAndTellOfItOnce() {
        int rows = TestSize.pick(5_000, 200_000);
        insert("old", "succeeded", "-1 second", rows);
        insert("young", "succeeded", "1 day", 100);
        insert("processing", "processing", "-1 second", 100);
        List<RowsPurged> events = new CopyOnWriteArrayList<>();
        IdempotencyListener listener = new IdempotencyListener() {
            @Override
            public void rowsPurged(RowsPurged event) {
                events.add(event);
            }
        };

        List<Long> deleted = ConcurrentCalls.run(
                        4,
                        () -> new Purge(List.of(requests), 100, Duration.ofMillis(1), Duration.ofMinutes(5), listener)
                                .run())
                .requireAllSucceeded();

        assertThat(deleted.stream().mapToLong(Long::longValue).sum()).isEqualTo(rows);
        assertThat(events).allSatisfy(event -> assertThat(event.table()).isEqualTo("idempotency_request"));
        assertThat(events.stream().mapToLong(RowsPurged::rows).sum()).isEqualTo(rows);
        assertThat(keys()).hasSize(200).noneMatch(key -> key.startsWith("old"));
    }

    private static ExpiringTable requestsOf(DataSource dataSource) {
        return new PostgresStorage(dataSource, MigratedTables.SCHEMA)
                .expiringTables()
                .get(0);
    }

    private void insert(String prefix, String status, String expiresIn, int rows) {
        assertThat(admin.update(INSERT, prefix, prefix, status, expiresIn, rows))
                .isEqualTo(rows);
    }

    private List<String> keys() {
        return admin.queryForList(
                "select idempotency_key from idempotency.idempotency_request order by idempotency_key", String.class);
    }
}
