package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.InterventionRefusedException;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.ClaimStore.FailureRecord;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.LeaseStore.Renewal;
import io.idempotency.internal.claim.LeaseStore.Result;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.inbox.InboxClaim;
import io.idempotency.internal.outbox.NewMessage;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.outbox.SendResult;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.postgres.outbox.PostgresResumptions;
import io.idempotency.internal.postgres.partition.PartitionMaintenance;
import io.idempotency.internal.postgres.partition.PartitionPeriod;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.resume.DueCall;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.PurgeLease;
import io.idempotency.internal.retention.StorageStatistics;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.outbox.OutboxMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** All that the library asks of a database, each statement with what makes it find something. */
final class EveryStatement {

    private static final Reason REASON = new Reason("test", "because");

    private final DataSource dataSource;

    private final JdbcTemplate admin;

    private final PostgresStorage storage;

    private final PostgresMessageStorage messages;

    /**
     * Describes the database.
     *
     * @param dataSource where the statements go
     * @param admin what rows are changed with for the next statement
     */
    EveryStatement(DataSource dataSource, JdbcTemplate admin) {
        this.dataSource = dataSource;
        this.admin = admin;
        this.storage = MigratedTables.storage(dataSource, MigratedTables.SCHEMA);
        this.messages = new PostgresMessageStorage(dataSource, MigratedTables.SCHEMA);
    }

    /** In tables of today's layout, and then in partitions. */
    void run() throws SQLException {
        storage.schema().validate();
        assertThat(storage.schema().findProblems()).isEmpty();
        try (Connection connection = dataSource.getConnection()) {
            assertThat(StorageSchema.identityOf(connection)).isEqualTo(StorageSchema.identityOf(connection));
        }
        calls("a");
        messages();
        outbox();
        locks();
        administer();
        statistics();
        functions();
        purge(false);
        purge(true);

        partition();
        calls("b");
        messages();
        outbox();
        administer();
        functions();
        statistics();
        maintain(false);
        expirePartitions();
        maintain(true);
        statistics();
        distribute();
    }

    private void calls(String prefix) throws SQLException {
        ClaimStore store = storage.claimStore("test-process", null);
        ClaimRequest call = Requests.request(prefix + "-call");
        try (Session session = session(store)) {
            session.claimGranted(call).complete(new Completion(call.fence(1), "{\"n\": 1}", "payment", "7"));
            session.commit();
            ClaimRequest plain = Requests.request(prefix + "-plain");
            session.claimGranted(plain).complete(new Completion(plain.fence(1), "{}", null, null));
            session.commit();
            assertThat(session.claim(call).kind()).isEqualTo(Kind.SUCCEEDED);
            session.commit();
            assertThat(store.findSettled(session.connection(), call.fence(1))).isPresent();
            session.commit();
            session.claimGranted(Requests.withoutResponse(prefix + "-void")).commit();
            ClaimRequest shortLived = Requests.forgettingItsResponse(prefix + "-short", Duration.ofHours(1));
            session.claimGranted(shortLived).complete(new Completion(shortLived.fence(1), "{}", null, null));
            session.commit();
            ClaimRequest finished = Requests.request(prefix + "-finished");
            store.insertFinished(session.connection(), finished, new Completion(finished.fence(1), "{}", null, null));
            session.commit();
            ClaimRequest committed = Requests.request(prefix + "-committed");
            store.insertFinishedAndCommit(
                    session.connection(), committed, new Completion(committed.fence(1), "{}", null, null));
        }
        try (Session other = session(storage.claimStore("other-process", null))) {
            assertThat(other.claim(call).kind()).isEqualTo(Kind.SUCCEEDED);
            other.commit();
        }
        leases(store, prefix);
        leasesInTransactionsOfTheirOwn(store, prefix);
        resumptions(prefix);
        try (Session session = session(store)) {
            session.claimGranted(Requests.request(prefix + "-abandoned")).commit();
            session.claimGranted(Requests.request(prefix + "-in-the-middle")).commit();
        }
    }

    private void resumptions(String prefix) throws SQLException {
        PostgresResumptions resumptions = new PostgresResumptions(MigratedTables.SCHEMA);
        ClaimStore store = storage.claimStore("test-process", resumptions);
        try (Session session = session(store)) {
            ClaimRequest call = Requests.resumable(prefix + "-resumable", Duration.ofMillis(1));
            session.claimGranted(call).commit();
            session.query("select pg_catalog.pg_sleep(cast(0.01 as float8))");
            session.commit();
            List<String> scopes = List.of(call.intent().scope());
            List<DueCall> due = resumptions.findDue(session.connection(), scopes, List.of(), 10);
            assertThat(due).extracting(DueCall::intent).containsExactly(call.intent());
            assertThat(resumptions.hasOtherDue(session.connection(), List.of("another")))
                    .isTrue();
            resumptions.postpone(session.connection(), due.get(0), Duration.ofHours(1), "r");
            resumptions.awaitLease(session.connection(), due.get(0), Duration.ofHours(1));
            session.commit();
            assertThat(resumptions.findDue(session.connection(), scopes, List.of(), 10))
                    .isEmpty();
            Fence fence = call.fence(1);
            assertThat(store.abandon(session.connection(), fence, new Failure(false, "c", "m")))
                    .isTrue();
            assertThat(store.revive(session.connection(), fence)).isTrue();
            session.commit();
            ClaimRequest again = Requests.resumable(prefix + "-resumable", Duration.ofHours(1));
            assertThat(session.claim(again)).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2));
            resumptions.remove(session.connection(), due.get(0));
            session.complete(new Completion(again.fence(2), "null", null, null));
            session.commit();
            ClaimRequest alone = Requests.resumable(prefix + "-resumable-alone", Duration.ofHours(1));
            assertThat(claimAndCommit(session, alone)).isEqualTo(Requests.GRANTED);
            assertThat(store.completeAndCommit(
                            session.connection(), new Completion(alone.fence(1), "null", null, null)))
                    .isTrue();
            ClaimRequest within = Requests.resumable(prefix + "-resumable-within", Duration.ofHours(1));
            claimAndCommit(session, within);
            store.completeWithCommit(session.connection(), new Completion(within.fence(1), "null", null, null));
        }
    }

    private void leasesInTransactionsOfTheirOwn(ClaimStore store, String prefix) throws SQLException {
        try (Session session = session(store)) {
            ClaimRequest lease = Requests.leased(prefix + "-alone");
            assertThat(claimAndCommit(session, lease)).isEqualTo(Requests.GRANTED);
            assertThat(claimAndCommit(session, lease)).isEqualTo(Requests.GRANTED);
            assertThat(store.recordStepAndCommit(
                            session.connection(), lease.fence(1), RecordedStep.succeeded("charge", "1")))
                    .isTrue();
            assertThat(store.fail(session.connection(), lease.fence(1), new Failure(false, "c", "m"), null))
                    .isTrue();
            assertThat(claimAndCommit(session, lease)).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2));
            assertThat(store.completeAndCommit(session.connection(), new Completion(lease.fence(2), "{}", null, null)))
                    .isTrue();
            ClaimRequest within = Requests.leased(prefix + "-within");
            claimAndCommit(session, within);
            store.completeWithCommit(session.connection(), new Completion(within.fence(1), "{}", null, null));
        }
    }

    private static ClaimResult claimAndCommit(Session session, ClaimRequest request) {
        return session.store().claimAndCommit(session.connection(), request, expected -> {});
    }

    private void leases(ClaimStore store, String prefix) throws SQLException {
        try (Session session = session(store)) {
            ClaimRequest lease = Requests.leased(prefix + "-lease");
            session.claimGranted(lease).commit();
            assertThat(store.extendLease(session.connection(), lease.fence(1), Duration.ofHours(1)))
                    .isTrue();
            assertThat(store.recordStep(session.connection(), lease.fence(1), RecordedStep.succeeded("charge", "1")))
                    .isTrue();
            session.commit();
            assertThat(storage.leaseStore()
                            .renew(
                                    session.connection(),
                                    List.of(new Renewal(lease.fence(1), Duration.ofHours(2))),
                                    Duration.ofSeconds(10)))
                    .containsExactly(Result.RENEWED);
            assertThat(store.findSteps(session.connection(), lease.fence(1))).hasSize(1);
            session.complete(new Completion(lease.fence(1), "{\"n\": 2}", null, null));
            session.commit();
            ClaimRequest failing = Requests.leased(prefix + "-failing");
            session.claimGranted(failing).commit();
            assertThat(store.fail(session.connection(), failing.fence(1), new Failure(false, "c", "m"), null))
                    .isTrue();
            session.commit();
            ClaimRequest again = Requests.leased(prefix + "-failing");
            assertThat(session.claim(again)).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2));
            session.complete(new Completion(again.fence(2), "null", null, null));
            session.commit();
            assertThat(store.recordFailure(
                            session.connection(),
                            new FailureRecord(
                                    Requests.request(prefix + "-recorded").key(),
                                    1,
                                    Duration.ofDays(7),
                                    new Failure(false, "c", "m"))))
                    .isTrue();
            session.commit();
            assertThat(session.claim(Requests.request(prefix + "-recorded"))).matches(ClaimResult::isGranted);
            session.commit();
            for (String key : List.of("-stale", "-released", "-completed", "-forgotten")) {
                session.claimGranted(Requests.leased(prefix + key)).commit();
            }
            ClaimRequest stale = Requests.leased(prefix + "-taken-over");
            session.claimGranted(stale).commit();
            expireLeases();
            assertThat(session.claim(Requests.leased(prefix + "-taken-over")))
                    .isEqualTo(ClaimResult.granted(Kind.GRANTED_RECOVERY, 2));
            session.commit();
            ClaimRequest shortLived = Requests.of(
                    Requests.intent(prefix + "-short-lease"),
                    Requests.fingerprint("payload"),
                    Duration.ofDays(7),
                    Duration.ofDays(1),
                    Requests.PATIENT,
                    false,
                    new io.idempotency.internal.claim.Lease(UUID.randomUUID(), Requests.LEASE, null, null));
            session.claimGranted(shortLived).commit();
        }
    }

    private void expireLeases() {
        admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 minute'"
                + " where locked_until is not null");
    }

    private void messages() throws SQLException {
        try (Deliveries deliveries = new Deliveries(dataSource)) {
            String id = UUID.randomUUID().toString();
            deliveries.recordFailureAndCommit(Deliveries.messageWithPayload(id, "p"), "code", "message");
            deliveries.recordFailureAndCommit(Deliveries.messageWithPayload(id, "p"), "code", "message");
            deliveries.claimAndCommit(Deliveries.messageWithPayload(id, "p"));
            deliveries.claimAndCommit(Deliveries.messageWithPayload(id, "p"));
            for (DeliveryOrder order : DeliveryOrder.values()) {
                String stream = order + id;
                deliveries.claimAndCommit(Deliveries.event(stream, 1, order));
                deliveries.claimAndCommit(Deliveries.event(stream, 2, order));
                deliveries.claimAndCommit(Deliveries.event(stream, 9, order));
            }
            deliveries.claimNew(List.of(id, id + "-2", id + "-3"));
            deliveries.commit();
            deliveries.claimNew(List.of(id + "-4"));
            deliveries.commit();
            deliveries.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            deliveries.claimNew(List.of(id + "-5"));
            deliveries.claim(Deliveries.message(id + "-6"));
            deliveries.commit();
            deliveries.recordFailureAndCommit(Deliveries.message(id + "-failing"), "code", "message");
            messages.inboxStore()
                    .isCommitted(deliveries.connection(), Deliveries.message(id), new InboxClaim(Instant.EPOCH, "3"));
        }
    }

    private void outbox() throws SQLException {
        OutboxStore store = messages.outboxStore(Duration.ofDays(3), "shop");
        messages.outboxChannel().announce();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (String key : List.of("a", "a", "b", "b", "c")) {
                store.record(
                        connection,
                        new NewMessage(
                                UUID.randomUUID(),
                                OutboxMessage.of("orders", "placed")
                                        .withoutPayload()
                                        .orderingKey(key)
                                        .deduplicationKey(key + "-key")
                                        .header("h", "v")
                                        .build(),
                                key.hashCode() % 7,
                                "{\"key\": \"" + key + "\"}",
                                Map.of("h", "v"),
                                Requests.intent("k")));
            }
            connection.commit();
        }
        SendResult.Status[] results = SendResult.Status.values();
        AtomicInteger next = new AtomicInteger();
        store.send(
                10,
                Duration.ofSeconds(10),
                null,
                taken -> taken.stream()
                        .map(due -> new SendResult(
                                due.message(),
                                results[next.getAndIncrement() % results.length],
                                Duration.ofMillis(1),
                                new IllegalStateException("failed")))
                        .toList());
        assertThat(store.send(10, Duration.ofSeconds(10), List.of("orders"), taken -> List.of())
                        .results())
                .isEmpty();
        store.send(
                10,
                Duration.ofSeconds(10),
                null,
                taken -> taken.stream()
                        .map(due -> new SendResult(
                                due.message(), SendResult.Status.DEAD, Duration.ZERO, new Exception("dead")))
                        .toList());
        store.backlog(100);
        AtomicInteger heard = new AtomicInteger();
        messages.outboxChannel().listen(heard::incrementAndGet, () -> heard.get() > 0, Duration.ofMillis(10));
    }

    private void locks() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            assertThat(storage.lockStore().tryTake(connection, 42)).isTrue();
            assertThat(storage.lockStore().take(connection, 43, Duration.ofSeconds(1)))
                    .isEmpty();
        }
    }

    private void administer() {
        IdempotencyAdministration administration =
                storage.administration(new PostgresResumptions(MigratedTables.SCHEMA));
        expireLeases();
        for (String prefix : List.of("a", "b")) {
            administration.find(Requests.intent(prefix + "-call"));
            administration.findResponse(Requests.intent(prefix + "-call"));
        }
        administration.search("payments", "", "a-call", io.idempotency.RequestStatus.SUCCEEDED, 10);
        administration.search(null, null, null, null, 10);
        assertThat(administration.findStaleLeases(10)).isNotEmpty();
        administration.findAbandoned(10);
        administration.findSteps(Requests.intent("a-lease"));
        assertThatThrownBy(() -> administration.retryFrom(Requests.intent("a-lease"), "charge", REASON))
                .isInstanceOf(InterventionRefusedException.class);
        administration.findWithAttempts(1, 10);
        String prefix = administration.find(Requests.intent("b-stale")).isPresent() ? "b" : "a";
        administration.releaseStale(Requests.intent(prefix + "-released"), REASON);
        administration.completeStale(Requests.intent(prefix + "-completed"), "{}", REASON);
        administration.forget(Requests.intent(prefix + "-forgotten"), REASON);
        assertThatThrownBy(() -> administration.releaseStale(Requests.intent(prefix + "-call"), REASON))
                .isInstanceOf(InterventionRefusedException.class);
        administration.findBlockedClaims(10);
        administration.findHalfDone(10);
        MessagingAdministration ofMessages = messages.administration();
        ofMessages.findFailingMessages(10);
        ofMessages.findHandledMessage("c", "m");
        ofMessages.findPendingMessages(10);
        ofMessages.findDeadMessages(10).forEach(dead -> ofMessages.requeue(dead.messageId(), REASON));
        assertThatThrownBy(() -> ofMessages.requeue(UUID.randomUUID(), REASON))
                .isInstanceOf(InterventionRefusedException.class);
    }

    private void statistics() {
        StorageStatistics statistics = storage.statistics();
        assertThat(statistics.sample(1).rows()).isNotEmpty();
        messages.partitionSampler(new MessagingListener() {}).sample();
        storage.engineVerifier().requireSuitableServer();
        storage.engineVerifier().verifyTables();
    }

    /** In Citus's own catalog, as Citus 8 to 13 have it. */
    private void distribute() {
        admin.execute("""
                set allow_system_table_mods = on;
                create table pg_catalog.pg_dist_partition (
                    logicalrelid pg_catalog.regclass not null, partmethod "char" not null, partkey text,
                    colocationid integer not null default 0, repmodel "char" not null default 's');
                insert into pg_catalog.pg_dist_partition values (
                    'idempotency.idempotency_request', 'h', '{VAR :varno 1 :varattno 1 :vartype 2950}', 1, 't')""");
        assertThatThrownBy(storage.engineVerifier()::verifyTables).hasMessageContaining("may commit in one phase");
    }

    /** As a client without Java calls them. */
    private void functions() throws SQLException {
        try (SqlSession session = new SqlSession(dataSource)) {
            String key = "sql-" + UUID.randomUUID();
            session.succeed(key, session.claim(key), "{\"n\": 1}").commit();
            session.claim(key);
            session.commit();
            session.fail(key + "-2", session.lease(key + "-2", 60), true).commit();
            session.claim(key + "-2");
            session.commit();
            session.execute("select idempotency.idempotency_consume('c', '" + key + "')")
                    .execute("select idempotency.idempotency_consume('c', '" + key + "')")
                    .execute("select idempotency.idempotency_advance('c', '" + key + "', 1)")
                    .execute("select idempotency.idempotency_advance_strictly('c', '" + key + "', 2)")
                    .execute("select idempotency.idempotency_publish('t', 'm', '{}', 'o', '{\"h\": \"v\"}', '" + key
                            + "')")
                    .execute("select idempotency.idempotency_publish('t', 'm', '{}', 'o', '{\"h\": \"v\"}', '" + key
                            + "')")
                    .execute("select idempotency.idempotency_lock('l', 'r')")
                    .execute("select idempotency.idempotency_try_lock('l', 'r')")
                    .execute("table idempotency.idempotency_stale")
                    .execute("table idempotency.idempotency_retrying")
                    .execute("table idempotency.idempotency_step")
                    .execute("table idempotency.idempotency_by_scope")
                    .execute("table idempotency.outbox_pending")
                    .commit();
        }
        try (Connection connection = dataSource.getConnection();
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute("call idempotency.idempotency_purge(10, '1 ms', true)");
        }
    }

    private void purge(boolean archive) throws SQLException {
        calls("purged-" + archive);
        admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 day'"
                + " where idempotency_key like 'purged%plain'");
        admin.update("update idempotency.idempotency_request"
                + " set response_expires_at = now() - interval '1 hour' where response_expires_at is not null");
        for (String table : List.of("processed_message", "message_failure", "outbox_event")) {
            admin.update("update idempotency." + table + " set expires_at = now() - interval '1 day'"
                    + " where expires_at is not null");
        }
        statistics();
        PurgeLease lease = storage.purgeStore("test", archive).begin(Duration.ofMinutes(1));
        for (ExpiringTable table : lease.tables()) {
            assertThat(table.deleteExpired(1_000)).isPresent();
        }
        lease.release();
    }

    private void partition() {
        OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
        admin.execute(
                "alter table idempotency.processed_message add column stored_at timestamptz not null"
                        + " default '-infinity', add constraint processed_message_before_partitions check (stored_at = '-infinity')");
        run("select idempotency.partition_processed_message('" + now.minusSeconds(10) + "', '" + now.minusSeconds(5)
                + "')");
        maintain(false);
    }

    private void run(String sql) {
        new JdbcTemplate(dataSource).execute(sql);
    }

    private void maintain(boolean archive) {
        PartitionMaintenance maintenance =
                messages.partitionMaintenance(PartitionPeriod.of(Duration.ofHours(1)), null, archive);
        PartitionedMessages.run(maintenance);
        PartitionedMessages.run(maintenance);
    }

    private void expirePartitions() {
        admin.update("update idempotency.processed_message_partition set expires_at = now() - interval '2 hours',"
                + " closed_at = clock_timestamp() - interval '1 day'"
                + " where starts_at <= clock_timestamp() and closed_at is not null");
    }

    private Session session(ClaimStore store) throws SQLException {
        return new Session(dataSource.getConnection(), store);
    }
}
