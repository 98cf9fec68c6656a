package io.idempotency.internal.postgres.maintenance;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What a purge deletes of {@code idempotency_request}. */
@Tag("citus")
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
        admin.execute("truncate idempotency.idempotency_request, idempotency.purge_lease");
    }

    @Test
    void onlyExpiredRowsAreDeleted() {
        insert("old", "succeeded", "-1 second", 3);
        insert("young", "succeeded", "1 minute", 2);

        assertThat(requests.deleteExpired(100)).hasValue(3);

        assertThat(keys()).containsExactly("young1", "young2");
    }

    /** After the deletion nothing else tells that money was taken for nothing. */
    @NotOnCitus
    @Test
    void callsThatNobodyHasFinishedAfterTheirStepsAreNamed() {
        Logger logger = (Logger) LoggerFactory.getLogger(PostgresPurgeStore.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        insert("done", "succeeded", "-1 second", 1);
        insert("refused", "failed_final", "-1 second", 1);
        insert("captured", "failed_retryable", "-1 second", 2);
        insert("vanished", "processing", "-1 second", 1);
        admin.execute("""
                update idempotency.idempotency_request set steps = '[{"name": "capture"}]',
                    locked_until = case status when 'processing' then now() - interval '1 hour' end""");
        insert("failed", "failed_retryable", "-1 second", 1);

        try {
            assertThat(requests.deleteExpired(100)).hasValue(6);
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list)
                .singleElement()
                .satisfies(
                        line -> assertThat(line.getFormattedMessage())
                                .startsWith("The purge has deleted 3 half-done calls")
                                .containsPattern(
                                        "payments [0-9a-f-]{36}, payments [0-9a-f-]{36}, payments [0-9a-f-]{36}[.] Their rows are gone"));
    }

    @NotOnCitus
    @Test
    void aRowThatIsBeingProcessedIsDeletedOnlyIfItsLeaseHasExpired() {
        insert("processing", "processing", "-10 years", 2);
        insert("active", "processing", "-10 years", 1);
        insert("stale", "processing", "-10 years", 1);
        admin.execute("""
                update idempotency.idempotency_request
                set locked_until = now() + case idempotency_key when 'active1' then interval '1 day' else '-9 years' end
                where idempotency_key in ('active1', 'stale1')""");
        insert("failed", "failed_final", "-1 second", 1);
        insert("retryable", "failed_retryable", "-1 second", 1);

        assertThat(requests.deleteExpired(100)).hasValue(3);

        assertThat(keys()).containsExactly("active1", "processing1", "processing2");
    }

    @Test
    void theLimitIsKept() {
        insert("old", "succeeded", "-1 second", 7);

        assertThat(requests.deleteExpired(5)).hasValue(5);
        assertThat(requests.deleteExpired(5)).hasValue(2);
        assertThat(requests.deleteExpired(5)).hasValue(0);
    }

    @NotOnCitus
    @Test
    void aRowThatIsLockedIsLeftForLaterWithoutWaiting() throws SQLException {
        insert("old", "succeeded", "-1 second", 3);
        try (Session locking = new Session(database.connection())) {
            locking.execute(
                    "select 1 from idempotency.idempotency_request where idempotency_key = 'old2' for key share");

            assertThat(ConcurrentCalls.start(1, () -> requests.deleteExpired(100))
                            .await(Duration.ofSeconds(10))
                            .requireAllSucceeded())
                    .containsExactly(OptionalInt.of(2));
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
            assertThat(requestsOf(pool).deleteExpired(100)).hasValue(3);
        }

        assertThat(keys()).isEmpty();
    }

    @Test
    void itsTransactionIsNoPartOfAnOuterOne() {
        insert("old", "succeeded", "-1 second", 3);
        TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));

        outer.executeWithoutResult(status -> {
            assertThat(requests.deleteExpired(100)).hasValue(3);
            status.setRollbackOnly();
        });

        assertThat(keys()).isEmpty();
    }

    @Test
    void theOldestGoFirst() {
        insert("old", "succeeded", "-1 second", 2);
        insert("older", "succeeded", "-1 day", 2);

        assertThat(requests.deleteExpired(2)).hasValue(2);

        assertThat(keys()).containsExactly("old1", "old2");
    }

    /** Or the index would be read from its beginning for each batch, over all that was deleted before. */
    @Test
    void aBatchBeginsWhereTheLastOneEnded() {
        insert("old", "succeeded", "-1 second", 2);
        assertThat(requests.deleteExpired(2)).hasValue(2);
        insert("older", "succeeded", "-1 day", 1);

        assertThat(requests.deleteExpired(2)).hasValue(0);

        admin.execute("truncate idempotency.purge_lease");
        assertThat(requestsOf(database.dataSource()).deleteExpired(2)).hasValue(1);
    }

    private static ExpiringTable requestsOf(DataSource dataSource) {
        return MigratedTables.storage(dataSource, MigratedTables.SCHEMA)
                .purgeStore("test", false)
                .begin(Duration.ofMinutes(1))
                .tables()
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
