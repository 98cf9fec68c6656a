package io.idempotency.internal.postgres.outbox;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What no row of {@code outbox_event} may hold, whoever writes it. */
@PostgresTest
class OutboxConstraintsTest {

    private static final String INSERT = """
            insert into idempotency.outbox_event (
                message_id, topic, message_type, lane, payload, headers, deduplication_key, status, attempt_count,
                created_at, due_at, next_attempt_at)
            values (gen_random_uuid(), 'orders', 'OrderPlaced', 0, '1', '{}', 'key', 'pending', 0, now(), now(), now())""";

    private final JdbcTemplate admin;

    OutboxConstraintsTest(TestDatabase database) {
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void insertARow() {
        admin.execute("truncate idempotency.outbox_event; " + INSERT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "topic = repeat('x', 250)                      | character varying(249)",
                "message_type = repeat('x', 129)               | character varying(128)",
                "ordering_key = repeat('x', 256)               | character varying(255)",
                "aggregate_type = repeat('x', 129)             | character varying(128)",
                "aggregate_id = repeat('x', 256)               | character varying(255)",
                "deduplication_key = repeat('x', 256)          | character varying(255)",
                "idempotency_scope = 'payments'                | outbox_event_intent",
                "caller = ''                                   | outbox_event_intent",
                "status = 'sent', expires_at = now()           | outbox_event_sent",
                "sent_at = now()                               | outbox_event_sent",
                "status = 'sent', sent_at = now()              | outbox_event_expiry_of_sent",
                "expires_at = now()                            | outbox_event_expiry_of_sent",
                "status = 'dead'                               | outbox_event_error_of_dead",
            })
    void nonsenseIsRefused(String assignment, String constraint) {
        assertThatThrownBy(() -> set(assignment))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasMessageContaining(constraint);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status = 'sent', sent_at = now(), expires_at = now()",
                "status = 'dead', last_error = 'no such topic'",
                "idempotency_scope = 'payments', caller = '', idempotency_key = 'order-42'",
                "deduplication_key = null, ordering_key = repeat('\u20ac', 255)",
            })
    void whatARowMayHoldIsAccepted(String assignment) {
        assertThat(set(assignment)).isEqualTo(1);
    }

    @Test
    void aDeduplicationKeyIsThereOnce() {
        assertThatThrownBy(() -> admin.execute(INSERT))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasMessageContaining("outbox_event_deduplication");
    }

    private int set(String assignment) {
        return admin.update("update idempotency.outbox_event set " + assignment);
    }
}
