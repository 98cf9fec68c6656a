package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.inbox.InboxBatchResult;
import io.idempotency.internal.inbox.InboxMessage;
import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.inbox.StreamPosition;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;

/** One connection with one transaction after the other, in which messages are received as by the executor. */
public final class Deliveries extends OpenConnection<Deliveries> {

    public static final String CONSUMER = "invoices";

    public static final Duration RETENTION = Duration.ofDays(14);

    private final InboxStore store = new PostgresMessageStorage(null, MigratedTables.SCHEMA).inboxStore();

    public Deliveries(DataSource dataSource) throws SQLException {
        this(dataSource.getConnection());
    }

    public Deliveries(Connection connection) throws SQLException {
        super(connection);
    }

    public static InboxMessage message(String id) {
        return new InboxMessage(CONSUMER, id, null, null, null, RETENTION);
    }

    public static InboxMessage messageWithPayload(String id, String payload) {
        return new InboxMessage(CONSUMER, id, Requests.fingerprint(payload), "created", null, RETENTION);
    }

    public static InboxMessage event(String stream, long version, DeliveryOrder order) {
        return new InboxMessage(
                CONSUMER, stream + "-" + version, null, null, new StreamPosition(stream, version, order, 1), RETENTION);
    }

    public InboxResult claim(InboxMessage delivered) {
        return claim(delivered, Requests.PATIENT);
    }

    public InboxResult claim(InboxMessage delivered, Duration waitLimit) {
        return store.claim(connection(), delivered, waitLimit);
    }

    public InboxResult.Kind claimAndCommit(InboxMessage delivered) throws SQLException {
        InboxResult.Kind kind = claim(delivered).kind();
        if (kind == InboxResult.Kind.GAP) {
            rollback();
        } else {
            commit();
        }
        return kind;
    }

    public List<String> claimNew(Collection<String> ids) {
        Set<String> handledBefore = claimBatch(ids, Requests.PATIENT).handledBefore();
        return ids.stream().filter(id -> !handledBefore.contains(id)).toList();
    }

    public InboxBatchResult claimBatch(Collection<String> ids, Duration waitLimit) {
        return store.claimNew(connection(), CONSUMER, ids, RETENTION, waitLimit);
    }

    public boolean recordFailureAndCommit(InboxMessage delivered, String code, String message) throws SQLException {
        boolean recorded = store.recordFailure(connection(), delivered, new Failure(false, code, message));
        commit();
        return recorded;
    }
}
