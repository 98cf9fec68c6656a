package io.idempotency.internal.postgres.maintenance;

import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Operators look for stale leases when something is wrong already: it must not take a look at every row. */
@PostgresTest
class StaleLeasesAmongManyTest {

    private static final String INSERT = """
            insert into idempotency.idempotency_request (
                request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status, claimed_by,
                claimed_at, locked_until, attempt_count, created_at, updated_at, expires_at)
            select gen_random_uuid(), 'payments', '', 'key-' || i, '\\x01', 1,
                   case when i = 1 then 'processing' else 'succeeded' end, 'an instance',
                   now(), case when i = 1 then now() - interval '1 hour' end, 1, now(), now(), now() + interval '1 day'
            from generate_series(1, 20000) as i""";

    private final TestDatabase database;

    StaleLeasesAmongManyTest(TestDatabase database) {
        this.database = database;
        MigratedTables.in(database);
    }

    @Test
    void areFoundByTheirIndex() {
        database.jdbc().execute(INSERT);
        database.jdbc().execute("vacuum analyze idempotency.idempotency_request");
        database.backends().awaitStatistics();
        long before = scans("pg_stat_user_tables", "seq_scan", "relname = 'idempotency_request'");

        assertThat(staleLeases()).containsExactly("key-1");

        await().until(() ->
                scans("pg_stat_user_indexes", "idx_scan", "indexrelname = 'idempotency_request_lease'") > 0);
        assertThat(scans("pg_stat_user_tables", "seq_scan", "relname = 'idempotency_request'"))
                .isEqualTo(before);
    }

    /** On connections that are closed afterwards: an open one may keep its statistics to itself for a while. */
    private List<String> staleLeases() {
        try (HikariDataSource pool = database.dataSource(1)) {
            return MigratedTables.storage(pool, MigratedTables.SCHEMA).administration(null).findStaleLeases(50).stream()
                    .map(found -> found.intent().key().value())
                    .toList();
        }
    }

    private long scans(String view, String counter, String condition) {
        return database.jdbc()
                .queryForObject("select " + counter + " from " + view + " where " + condition, Long.class);
    }
}
