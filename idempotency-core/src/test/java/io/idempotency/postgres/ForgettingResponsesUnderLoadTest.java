package io.idempotency.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.retention.LeafLength;
import io.idempotency.retention.PartitionMaintenance;
import io.idempotency.retention.Purge;
import io.idempotency.retention.PurgeReport;
import io.idempotency.retention.PurgeSettings;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls come while responses of a day are forgotten, whose keys stay: as a partition, and row by row to compare with.
 * Prints tables.
 */
@PostgresTest
@Tag("race")
class ForgettingResponsesUnderLoadTest {

    private static final int DAYS = 10;

    private static final int KEYS_OF_A_DAY = TestSize.pick(1_000, 1_000_000);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Met only behind an exclusive lock that is kept; the maintenance never waits as long for one. */
    private static final Duration FAR_TOO_LONG = Duration.ofSeconds(10);

    /** 400 bytes. */
    private static final String BODY = "{\"text\": \"" + "0123456789abcdef".repeat(24) + "\"}";

    private static final String KEYS = """
            insert into idempotency.idempotency_request (
                request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status, response_body,
                claimed_by, claimed_at, attempt_count, created_at, updated_at, expires_at, %4$s)
            select gen_random_uuid(), 'orders', '', 'day-%1$d-' || i, sha256(''), 1, 'succeeded', %3$s,
                   'test', now(), 1, now(), now(), now() + interval '30 days', %5$s
            from generate_series(1, %2$d) as i""";

    private static final String RESPONSES = """
            insert into idempotency.idempotency_response (request_id, expires_at, response_body)
            select request_id, response_kept_until, '%2$s'
            from idempotency.idempotency_request
            where response_kept_until = timestamptz '%1$s' + interval '1 hour'""";

    private final TestDatabase database;
    private final JdbcTemplate admin;

    ForgettingResponsesUnderLoadTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeEach
    void clear() {
        admin.execute("drop schema if exists idempotency cascade");
    }

    @Test
    void aDayIsForgottenAsAPartition() throws Exception {
        PostgresStorage storage = MigratedTables.in(database);
        PartitionMaintenance maintenance = new PartitionMaintenance(
                storage.partitionedTables(Map.of("idempotency_response", LeafLength.DAY), null, false));
        for (int day = 0; day < DAYS; day++) {
            Awaitility.await().timeout(PATIENCE).until(maintenance::run);
            String from = admin.queryForObject("""
                    select starts_at
                    from idempotency.storage_partition
                    where parent = 'idempotency_response' and starts_at > now()
                    order by starts_at offset ? limit 1""", String.class, day);
            admin.execute(KEYS.formatted(
                    day,
                    KEYS_OF_A_DAY,
                    "null",
                    "response_kept_until",
                    "timestamptz '" + from + "' + interval '1 hour'"));
            admin.execute(RESPONSES.formatted(from, BODY));
        }
        admin.execute("vacuum analyze");
        long size = size();
        String day = admin.queryForObject("""
                select leaf
                from idempotency.storage_partition
                where parent = 'idempotency_response' and starts_at > now()
                order by starts_at limit 1""", String.class);

        Foreground.Figures figures = Foreground.meanwhile(() -> call(true), () -> {
            admin.update("""
                    update idempotency.storage_partition
                    set sealed_at = now(), expires_at = now() - interval '1 second'
                    where leaf = ?""", day);
            Awaitility.await().timeout(PATIENCE).until(() -> maintenance.run() && isGone(day));
        });

        figures.print("responses as a partition", KEYS_OF_A_DAY, (long) KEYS_OF_A_DAY * DAYS, size, size());
        assertThat(count("idempotency_request where idempotency_key like 'day-%'"))
                .isEqualTo(KEYS_OF_A_DAY * DAYS);
        assertThat(count("""
                idempotency_response as s
                join idempotency.idempotency_request as r using (request_id)
                where r.idempotency_key like 'day-%'""")).isEqualTo(KEYS_OF_A_DAY * (DAYS - 1));
        assertThat(figures.longest()).isLessThan(FAR_TOO_LONG);
    }

    @Test
    void aDayIsForgottenRowByRow() throws Exception {
        PostgresStorage storage = MigratedTables.in(database);
        for (int day = 0; day < DAYS; day++) {
            admin.execute(KEYS.formatted(
                    day,
                    KEYS_OF_A_DAY,
                    "'" + BODY + "'",
                    "response_expires_at",
                    "now() + (" + day + " - 0.5) * interval '1 day'"));
        }
        admin.execute("vacuum analyze");
        long size = size();
        Purge purge = new Purge(
                storage.purgeStore("test", false),
                new PurgeSettings(1_000, Duration.ofMillis(100), Duration.ofDays(1)),
                new IdempotencyListener() {});

        Foreground.Figures figures = Foreground.meanwhile(
                () -> call(false),
                () -> assertThat(purge.run())
                        .isEqualTo(new PurgeReport(
                                Map.of("response_body", (long) KEYS_OF_A_DAY), PurgeReport.End.NOTHING_LEFT)));

        figures.print("responses row by row", KEYS_OF_A_DAY, (long) KEYS_OF_A_DAY * DAYS, size, size());
        assertThat(count("idempotency_request where idempotency_key like 'day-%' and response_body is not null"))
                .isEqualTo(KEYS_OF_A_DAY * (DAYS - 1));
    }

    private Foreground.Connected call(boolean responsesApart) throws SQLException {
        Session session = new Session(database.connection(), MigratedTables.SCHEMA, responsesApart);
        return new Foreground.Connected() {

            @Override
            public void call() throws SQLException {
                assertThat(session.call(Requests.request(UUID.randomUUID().toString()), BODY))
                        .isEqualTo(Requests.GRANTED);
            }

            @Override
            public void close() throws SQLException {
                session.close();
            }
        };
    }

    private boolean isGone(String leaf) {
        return admin.queryForObject("select to_regclass('idempotency.' || ?) is null", Boolean.class, leaf);
    }

    private int count(String rows) {
        return admin.queryForObject("select count(*) from idempotency." + rows, Integer.class);
    }

    private long size() {
        return admin.queryForObject("""
                select pg_total_relation_size('idempotency.idempotency_request')
                    + (select sum(pg_total_relation_size(leaf.relid))
                       from pg_partition_tree('idempotency.idempotency_response') as leaf
                       where leaf.isleaf)""", Long.class);
    }
}
