package io.idempotency.outbox;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.postgres.MigratedTables;
import io.idempotency.postgres.PostgresStorage;
import io.idempotency.retention.LeafLength;
import io.idempotency.retention.PartitionMaintenance;
import io.idempotency.test.Backends;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Partitions of messages that were sent are there before they are needed, and go when all of their messages may. */
@PostgresTest
class SentMessageMaintenanceTest {

    private static final int DROPPED = TestSize.pick(3, 60);

    private static final String LEAVES = """
            select %s
            from pg_inherits
            join pg_class on oid = inhrelid
            where inhparent = 'idempotency.outbox_event_sent'::regclass
            order by case relname when 'outbox_event_sent_first' then 1 when 'outbox_event_sent_rest' then 3 else 2 end,
                relname""";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final Publisher publisher;

    SentMessageMaintenanceTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        // What a connection has prepared is of no use with a schema that was made anew.
        this.publisher = new Publisher(database.dataSource(4));
    }

    @BeforeEach
    void partition() {
        MigratedTables.withPartitionsOfSentMessages(database);
    }

    @AfterEach
    void forgetEverything() {
        admin.execute("drop schema idempotency cascade");
    }

    @Test
    void sevenPartitionsAreAheadOfWhateverTheRetentionIs() {
        maintain(LeafLength.DAY);
        assertThat(leaves())
                .hasSize(1 + 7 + 1)
                .startsWith("outbox_event_sent_first")
                .endsWith("outbox_event_sent_rest");
        assertThat(bounds()).startsWith("MINVALUE").endsWith("MAXVALUE");

        publisher.publish("a", 1);
        send();
        maintain(LeafLength.DAY);

        assertThat(leaves()).hasSize(1 + Math.toIntExact(Publisher.RETENTION.toDays()) + 7 + 1);
        assertThat(emptyAhead()).isEqualTo(7);
        maintain(LeafLength.DAY);
        assertThat(emptyAhead()).isEqualTo(7);
    }

    @Test
    void whatWasKeptForLongerThanForeseenIsInAPartitionOfItsOwnLater() {
        maintain(LeafLength.DAY);
        publisher.publish("a", 1);
        new PostgresStorage(database.adminDataSource(), "idempotency")
                .outboxStore(Duration.ofDays(40))
                .send(10, Duration.ofSeconds(10), Taken::asSent);
        assertThat(leafOf("1")).isEqualTo("outbox_event_sent_rest");

        maintain(LeafLength.DAY);

        assertThat(leafOf("1"))
                .isEqualTo(admin.queryForObject(
                        "select 'outbox_event_sent_' || to_char(expires_at at time zone 'UTC', 'YYYYMMDD')"
                                + " from idempotency.outbox_event",
                        String.class));
        assertThat(emptyAhead()).isEqualTo(7);
        assertThat(leaves()).hasSize(1 + 40 + 7 + 1);
    }

    /** As many partitions as days would take more locks than there are. */
    @Test
    void aMessageThatIsKeptForDecadesTakesNoMorePartitionsThanOneThatIsKeptForAYear() {
        maintain(LeafLength.DAY);
        publisher.publish("a", 1);
        new PostgresStorage(database.adminDataSource(), "idempotency")
                .outboxStore(Duration.ofDays(20 * 365))
                .send(10, Duration.ofSeconds(10), Taken::asSent);

        maintain(LeafLength.DAY);

        assertThat(leaves()).hasSize(400);
        assertThat(leafOf("1")).isNotEqualTo("outbox_event_sent_rest");
        assertThat(emptyAhead()).isEqualTo(7);
        publisher.publish("a", 2);
        assertThat(send()).isOne();
        assertThat(admin.queryForObject(
                        "select ends_at - starts_at from idempotency.storage_partition where leaf = ?",
                        String.class,
                        leafOf("2")))
                .isEqualTo("1 day");
        List<String> leaves = leaves();
        maintain(LeafLength.DAY);
        assertThat(leaves()).isEqualTo(leaves);
    }

    @Test
    void whatIsMarkedBeforeTheFirstMaintenanceIsInTheFirstPartition() {
        publisher.publish("a", 1);
        send();

        maintain(LeafLength.MONTH);

        assertThat(leafOf("1")).isEqualTo("outbox_event_sent_first");
        assertThat(emptyAhead()).isEqualTo(7);
        publisher.publish("a", 2);
        assertThat(send()).isOne();
    }

    @Test
    void aPartitionGoesWithItsMessagesAndTheirKeysADayAfterItsEnd() {
        publishWithKey("order-42", 1);
        send();
        publishWithKey("order-43", 2);
        maintain(LeafLength.DAY);
        String leaf = leafOf("1");
        admin.update(
                "update idempotency.storage_partition set expires_at = now() + interval '1 minute' where leaf = ?",
                leaf);
        maintain(LeafLength.DAY);
        assertThat(leaves()).contains(leaf);
        assertThat(admin.queryForObject(
                        "select ends_at + interval '1 day' from idempotency.storage_partition order by ends_at desc limit 1",
                        String.class))
                .isEqualTo(admin.queryForObject(
                        "select expires_at from idempotency.storage_partition order by ends_at desc limit 1",
                        String.class));

        admin.update(
                "update idempotency.storage_partition set expires_at = now() - interval '1 minute' where leaf = ?",
                leaf);
        maintain(LeafLength.DAY);

        assertThat(leaves()).doesNotContain(leaf);
        assertThat(Publisher.states(admin)).containsExactly("2 pending");
        assertThat(admin.queryForList("select deduplication_key from idempotency.outbox_deduplication", String.class))
                .containsExactly("order-43");
    }

    /** A clock that is set back by days must not keep messages from being marked. */
    @Test
    void whatExpiresBeforeAllPartitionsThatAreLeftIsMarkedAllTheSame() {
        maintain(LeafLength.DAY);
        admin.update("update idempotency.storage_partition set expires_at = now() - interval '1 minute'"
                + " where leaf = 'outbox_event_sent_first'");
        maintain(LeafLength.DAY);
        assertThat(leaves()).doesNotContain("outbox_event_sent_first");

        publishWithKey("order-42", 1);
        admin.update("update idempotency.outbox_event set status = 'sent', sent_at = now() - interval '100 days',"
                + " expires_at = now() - interval '97 days'");

        assertThat(leafOf("1")).startsWith("outbox_event_sent_before_");
        admin.update("update idempotency.storage_partition set expires_at = now() - interval '1 minute'"
                + " where expires_at = (select min(expires_at) from idempotency.storage_partition)");
        maintain(LeafLength.DAY);
        assertThat(Publisher.states(admin)).isEmpty();
        assertThat(admin.queryForList("select deduplication_key from idempotency.outbox_deduplication"))
                .isEmpty();
        assertThat(leaves())
                .filteredOn(leaf -> leaf.startsWith("outbox_event_sent_before_"))
                .hasSize(1);
    }

    @Test
    void anArchiveKeepsThePartitionAsATable() {
        publisher.publish("a", 1);
        send();
        maintain(LeafLength.DAY);
        admin.update(
                "update idempotency.storage_partition set expires_at = now() - interval '1 minute' where leaf = ?",
                leafOf("1"));

        run(maintenance(LeafLength.DAY, true));

        assertThat(Publisher.states(admin)).isEmpty();
        assertThat(admin.queryForObject(
                        "select count(*) from idempotency.outbox_event_sent_archive_first", Integer.class))
                .isOne();
    }

    /** Publishing goes on meanwhile: only marking has to wait, and that for no longer than the lock may take. */
    @Test
    @Tag("race")
    void whoeverReadsThePartitionsIsInTheWayAndNobodyElseWaitsForThat() throws Exception {
        PartitionMaintenance maintenance = maintenance(LeafLength.DAY, false);
        try (Connection reader = database.connection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            // It waits for half a second, and not at all for who has been there for longer.
            Awaitility.await("maintenance that waits").pollDelay(Duration.ZERO).until(() -> {
                reader.rollback();
                statement.execute("select count(*) from idempotency.outbox_event");
                CompletableFuture<Boolean> maintaining = CompletableFuture.supplyAsync(() -> run(maintenance));
                boolean waits = false;
                while (!waits && !maintaining.isDone()) {
                    waits = database.backends().activity().stream().anyMatch(Backends.Backend::blocked);
                }
                if (waits) {
                    publisher.publish("a", 1);
                }
                assertThat(maintaining.orTimeout(20, TimeUnit.SECONDS).join()).isFalse();
                return waits;
            });

            assertThat(send()).isOne();
            assertThat(leaves()).containsExactly("outbox_event_sent_rest");
        }

        Awaitility.await().until(() -> run(maintenance));
        assertThat(emptyAhead()).isEqualTo(7);
    }

    @Test
    @Tag("race")
    void relaysAndPublishersNeverFailWhilePartitionsComeAndGo() {
        OutboxStore store =
                new PostgresStorage(database.adminDataSource(), "idempotency").outboxStore(Duration.ofSeconds(2));
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> publishing = CompletableFuture.supplyAsync(() -> {
            int published = 0;
            while (!over.get()) {
                publisher.publish(OutboxMessage.of("orders", "OrderPlaced")
                        .payload(published)
                        .deduplicationKey("order-" + published)
                        .build());
                published++;
            }
            return published;
        });
        CompletableFuture<Integer> relaying = CompletableFuture.supplyAsync(() -> {
            int sent = 0;
            int found;
            boolean isLast;
            do {
                // Asked before the look, which may miss the last message otherwise.
                isLast = publishing.isDone();
                found = store.send(100, Duration.ofSeconds(10), Taken::asSent)
                        .deliveries()
                        .size();
                sent += found;
            } while (!isLast || found > 0);
            return sent;
        });

        LeafLength second = LeafLength.of(Duration.ofSeconds(1));
        Set<String> seen = new HashSet<>();
        Awaitility.await().atMost(TestSize.pick(60, 300), TimeUnit.SECONDS).until(() -> {
            admin.update("update idempotency.storage_partition set expires_at = ends_at where expires_at > ends_at");
            maintain(second);
            seen.addAll(leaves());
            return seen.size() - leaves().size() >= DROPPED
                    || publishing.isCompletedExceptionally()
                    || relaying.isCompletedExceptionally();
        });
        over.set(true);

        assertThat(relaying.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(publishing.join());
        assertThat(admin.queryForObject("select count(*) from idempotency.outbox_event", Integer.class))
                .isLessThan(publishing.join());
        assertThat(admin.queryForObject("select count(*) from idempotency.outbox_deduplication", Integer.class))
                .isEqualTo(admin.queryForObject("select count(*) from idempotency.outbox_event", Integer.class));
    }

    private void publishWithKey(String key, int payload) {
        publisher.publish(OutboxMessage.of("orders", "OrderPlaced")
                .payload(payload)
                .deduplicationKey(key)
                .build());
    }

    private int send() {
        return publisher
                .store
                .send(100, Duration.ofSeconds(10), Taken::asSent)
                .deliveries()
                .size();
    }

    private void maintain(LeafLength length) {
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> run(maintenance(length, false)));
    }

    private PartitionMaintenance maintenance(LeafLength length, boolean archive) {
        return new PartitionMaintenance(new PostgresStorage(database.adminDataSource(), "idempotency")
                .partitionedTables(Map.of("outbox_event", length), null, archive));
    }

    private static boolean run(PartitionMaintenance maintenance) {
        try {
            return maintenance.run();
        } catch (InterruptedException end) {
            throw new IllegalStateException(end);
        }
    }

    private List<String> leaves() {
        return admin.queryForList(LEAVES.formatted("relname"), String.class);
    }

    private List<String> bounds() {
        return admin.queryForList(
                LEAVES.formatted("substring(pg_get_expr(relpartbound, oid) from 'MINVALUE|MAXVALUE')"), String.class);
    }

    private int emptyAhead() {
        return admin.queryForObject("""
                select count(*)
                from idempotency.storage_partition
                where starts_at >= (select coalesce(max(expires_at), now()) from idempotency.outbox_event)""", Integer.class);
    }

    private String leafOf(String payload) {
        return admin.queryForObject(
                "select c.relname from idempotency.outbox_event as m join pg_class as c on c.oid = m.tableoid"
                        + " where m.payload::text = ?",
                String.class,
                payload);
    }
}
