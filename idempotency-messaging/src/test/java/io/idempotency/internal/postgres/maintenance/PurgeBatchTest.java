package io.idempotency.internal.postgres.maintenance;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What one batch asks of the database, whatever its statistics and the settings of the application's role. */
@PostgresTest
class PurgeBatchTest {

    private final TestDatabase database;
    private final JdbcTemplate admin;

    PurgeBatchTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
        database.jdbc().execute("""
                alter table idempotency.processed_message set (autovacuum_enabled = false);
                create table seen (entries_read bigint, idle_timeout text, at timestamptz);
                create function see() returns trigger language plpgsql as $$
                begin
                    insert into seen values (
                        pg_stat_get_xact_tuples_returned('idempotency.processed_message_expires_at'::regclass),
                        current_setting('idle_in_transaction_session_timeout'),
                        clock_timestamp());
                    return null;
                end $$;
                create trigger see after delete on idempotency.processed_message execute function see()""");
    }

    @BeforeEach
    void clear() {
        admin.execute("truncate idempotency.processed_message, idempotency.purge_lease, seen");
    }

    /** After a load of data, a restore or pg_upgrade. */
    @Test
    void readsNoMoreThanItDeletesOfATableThatWasNeverAnalyzed() {
        insertExpired(50_000);

        assertThat(messages(database.dataSource()).deleteExpired(100)).hasValue(100);

        assertThat(admin.queryForObject("select entries_read from seen", Long.class))
                .isBetween(100L, 1_000L);
    }

    /** Else the lock of a batch would keep all other instances from purging until TCP gives up. */
    @Test
    void isEndedByTheServerIfItsClientIsSilentlyGone() {
        insertExpired(1);

        messages(database.dataSource()).deleteExpired(1);

        assertThat(admin.queryForObject("select idle_timeout from seen", String.class))
                .isEqualTo("30s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"statement_timeout", "transaction_timeout"})
    void mayTakeLongerThanTheApplicationAllowsItsStatementsAndTransactions(String limit) {
        assumeTrue(admin.queryForObject("select current_setting(?, true) is not null", Boolean.class, limit));
        insertExpired(1);
        admin.execute("""
                create function slow() returns trigger language plpgsql as $$
                begin
                    perform pg_sleep(1.2);
                    return null;
                end $$;
                create trigger slow after delete on idempotency.processed_message execute function slow()""");

        try (HikariDataSource pool = poolWith(limit + " = '1s'")) {
            assertThat(messages(pool).deleteExpired(1)).hasValue(1);
            assertThat(new JdbcTemplate(pool).queryForMap("show " + limit)).isEqualTo(Map.of(limit, "1s"));
        } finally {
            admin.execute("drop function slow cascade");
        }
    }

    @Test
    void seesWhatOthersHaveDoneWhateverTheIsolation() throws Exception {
        insertExpired(2);
        try (HikariDataSource pool = poolWith("default_transaction_isolation = 'serializable'");
                Session other = new Session(database.connection())) {
            other.execute("lock table idempotency.processed_message in exclusive mode");
            other.execute("update idempotency.processed_message set message_type = 'changed'");
            ConcurrentCalls<OptionalInt> batch =
                    ConcurrentCalls.start(1, () -> messages(pool).deleteExpired(10));
            database.backends().awaitBlocked(1);
            other.commit();

            assertThat(batch.await().requireAllSucceeded()).containsExactly(OptionalInt.of(2));
        }
    }

    @Test
    void keepsItsTurnFromItsEndOnHoweverLongItTook() {
        insertExpired(1);

        messages(database.dataSource()).deleteExpired(1);

        assertThat(admin.queryForObject(
                        "select held_until >= at + interval '1 minute' from idempotency.purge_lease, seen",
                        Boolean.class))
                .isTrue();
    }

    private HikariDataSource poolWith(String setting) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.adminDataSource());
        config.setConnectionInitSql("set " + setting);
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    private static ExpiringTable messages(DataSource dataSource) {
        return MigratedTables.storage(dataSource, MigratedTables.SCHEMA)
                .purgeStore("test", false)
                .begin(Duration.ofMinutes(1))
                .tables()
                .get(1);
    }

    private void insertExpired(int rows) {
        admin.update("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                select 'test', 'm-' || i, now(), now() - i * interval '1 millisecond' - interval '1 second'
                from generate_series(1, ?) i""", rows);
    }
}
