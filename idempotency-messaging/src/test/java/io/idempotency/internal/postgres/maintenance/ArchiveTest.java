package io.idempotency.internal.postgres.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Rows that are moved instead of being deleted: each is in one of the two tables. */
@PostgresTest
class ArchiveTest {

    private final TestDatabase database;
    private final JdbcTemplate admin;

    ArchiveTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void clear() {
        admin.execute("""
                truncate idempotency.processed_message, idempotency.processed_message_archive,
                    idempotency.message_failure, idempotency.message_failure_archive, idempotency.outbox_event,
                    idempotency.outbox_event_archive, idempotency.idempotency_request,
                    idempotency.idempotency_request_archive, idempotency.purge_lease""");
    }

    @Test
    void takesExpiredRowsOfAllTablesAsTheyAre() throws Exception {
        insertMessages(2, "-1 day");
        insertMessages(1, "1 day");
        admin.execute("""
                insert into idempotency.message_failure values
                    ('test', 'f', 'type', 3, 'code', 'message', now(), now(), now() - interval '1 second');
                insert into idempotency.outbox_event (
                    message_id, topic, message_type, lane, payload, headers, status, attempt_count, created_at, due_at,
                    next_attempt_at, sent_at, expires_at)
                values (
                    gen_random_uuid(), 'topic', 'type', 0, '{"a": 1}', '{}', 'sent', 1, now(), now(), now(), now(),
                    now() - interval '1 second')""");
        try (Session session = new Session(database.connection())) {
            session.call(Requests.request("order-42"), "{\"answer\": 42}");
        }
        admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");
        String request = admin.queryForObject(
                "select to_jsonb(r)::text from idempotency.idempotency_request as r", String.class);

        PurgeReport report = purge().run();

        assertThat(report.deleted())
                .isEqualTo(Map.of(
                        "idempotency_request", 1L, "processed_message", 2L, "message_failure", 1L, "outbox_event", 1L));
        assertThat(count("processed_message")).isOne();
        assertThat(count("processed_message_archive")).isEqualTo(2);
        assertThat(count("message_failure_archive")).isOne();
        assertThat(count("outbox_event_archive")).isOne();
        assertThat(admin.queryForObject(
                        "select (to_jsonb(r) - 'archived_at')::text from idempotency.idempotency_request_archive as r"
                                + " where archived_at > expires_at",
                        String.class))
                .isEqualTo(request);
    }

    @Test
    void takesAKeyAsOftenAsItIsUsed() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (Session session = new Session(database.connection())) {
                session.call(Requests.request("order-42"), "1");
            }
            admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");
            assertThat(purge().run().total()).isOne();
        }

        assertThat(count("idempotency_request_archive")).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"idempotency_request", "processed_message", "message_failure", "outbox_event"})
    void hasTheColumnsOfItsTableAndItsTime(String table) {
        List<String> columns = columnsOf(table);

        assertThat(MigratedTables.ALL.stream()
                        .flatMap(feature -> feature.tables().stream())
                        .filter(known -> known.name().equals(table))
                        .findFirst()
                        .orElseThrow()
                        .columns()
                        .split(",\\s*"))
                .containsExactlyInAnyOrderElementsOf(columns.stream()
                        .map(column -> column.substring(0, column.indexOf(' ')))
                        .toList());
        assertThat(columnsOf(table + "_archive"))
                .as("what a later migration has added is behind archived_at")
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(columns.stream(), Stream.of("archived_at timestamp with time zone"))
                                .toList());
    }

    private List<String> columnsOf(String table) {
        return admin.queryForList("""
                select attname || ' ' || format_type(atttypid, atttypmod)
                from pg_attribute
                where attrelid = ('idempotency.' || ?)::regclass and attnum > 0 and not attisdropped
                order by attnum""", String.class, table);
    }

    @Test
    void losesNothingWhenItCannotBeWritten() {
        insertMessages(10, "-1 day");
        admin.execute("alter table idempotency.processed_message_archive rename to elsewhere");
        try {
            assertThatThrownBy(() -> purge().run()).hasMessageContaining("processed_message_archive");
        } finally {
            admin.execute("alter table idempotency.elsewhere rename to processed_message_archive");
        }
        assertThat(count("processed_message")).isEqualTo(10);
    }

    private Purge purge() {
        return new Purge(
                MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                        .purgeStore("test", true),
                new PurgeSettings(100, Duration.ZERO, Duration.ofMinutes(5)),
                new IdempotencyListener() {});
    }

    private void insertMessages(int rows, String expiresIn) {
        admin.update("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                select 'test', 'm-' || i || ?, now(), now() + ?::interval
                from generate_series(1, ?) i""", expiresIn, expiresIn, rows);
    }

    private int count(String table) {
        return admin.queryForObject("select count(*) from idempotency." + table, Integer.class);
    }
}
