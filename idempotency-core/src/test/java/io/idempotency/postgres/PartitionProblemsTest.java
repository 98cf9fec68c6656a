package io.idempotency.postgres;

import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.retention.LeafLength;
import io.idempotency.retention.PartitionState;
import io.idempotency.retention.StorageStatistics;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What is wrong with partitions is told, by whoever looks at the tables. */
@PostgresTest
class PartitionProblemsTest {

    private static final String SENT = """
            insert into idempotency.outbox_event (
                message_id, topic, message_type, lane, payload, headers, status, attempt_count,
                created_at, due_at, next_attempt_at, sent_at, expires_at)
            select gen_random_uuid(), 'orders', 'OrderPlaced', 0, '1', '{}', 'sent', 1,
                   now(), now(), now(), now(), now() + interval '3 days'""";

    private final JdbcTemplate admin;

    private final TestDatabase database;

    private final StorageStatistics statistics;

    PartitionProblemsTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.statistics = new PostgresStorage(database.dataSource(), MigratedTables.SCHEMA).statistics();
    }

    @BeforeEach
    void clear() {
        admin.execute("drop schema if exists idempotency cascade");
    }

    @Test
    void anOutboxInPartitionsThatNobodyLooksAfter() {
        MigratedTables.withPartitionsOfSentMessages(database);
        assertThat(state().ahead()).isZero();
        assertThat(state().problems()).isEmpty();

        admin.execute(SENT);

        Awaitility.await().until(() -> !state().problems().isEmpty());
        assertThat(state().problems())
                .singleElement()
                .asString()
                .startsWith("outbox_event_sent_rest holds rows, which are never forgotten there");
    }

    @Test
    void messagesOfBeforeThatAreNotAttached() {
        MigratedTables.in(database);
        admin.execute(SENT);
        admin.execute("select idempotency.prepare_partitions_of_outbox_event()");
        admin.execute("select idempotency.partition_outbox_event()");
        assertThat(state().problems())
                .singleElement()
                .asString()
                .startsWith("outbox_event_before is not attached")
                .contains("check_outbox_event_before() and attach_outbox_event_before()");

        admin.execute("select idempotency.check_outbox_event_before()");
        admin.execute("select idempotency.attach_outbox_event_before()");

        assertThat(state().problems()).isEmpty();
    }

    @Test
    void aClockThatWasSetBack() {
        PartitionedMessages.in(database, LeafLength.DAY);
        assertThat(state().problems()).isEmpty();

        admin.execute("update idempotency.processed_message_head set open_from = now() + interval '1 hour'");

        assertThat(state().problems())
                .singleElement()
                .asString()
                .startsWith("the open partition begins in the future, because the clock was set back");
    }

    private PartitionState state() {
        List<PartitionState> states = statistics.partitions();
        assertThat(states).hasSize(1);
        return states.get(0);
    }
}
