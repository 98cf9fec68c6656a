package io.idempotency.internal.postgres.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.inbox.InboxBatchResult;
import io.idempotency.internal.inbox.InboxClaim;
import io.idempotency.internal.inbox.InboxMessage;
import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.inbox.StreamPosition;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.TimeColumns;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/** The store of handled messages. */
public final class PostgresInboxStore implements InboxStore {

    private static final String READ_COMMITTED = "read committed";

    private static final String PROCESSED_AT = "processed_at";

    private final String receive;

    private final String collideWithUnseenFailure;

    private final String findPayload;

    private final String findClaim;

    private final String advance;

    private final String advanceByOne;

    private final String findPosition;

    private final String claimNew;

    private final String holdWhileRecording;

    private final String recordFailure;

    /** Prepares the statements. */
    public PostgresInboxStore(Schema schema) {
        this.receive = schema.resolve(InboxSql.RECEIVE);
        this.collideWithUnseenFailure = schema.resolve(InboxSql.COLLIDE_WITH_UNSEEN_FAILURE);
        this.findPayload = schema.resolve(InboxSql.FIND_PAYLOAD);
        this.findClaim = schema.resolve(InboxSql.FIND_CLAIM);
        this.advance = schema.resolve(InboxSql.ADVANCE);
        this.advanceByOne = schema.resolve(InboxSql.ADVANCE_BY_ONE);
        this.findPosition = schema.resolve(InboxSql.FIND_POSITION);
        this.claimNew = schema.resolve(InboxSql.RECEIVE_NEW);
        this.holdWhileRecording = schema.resolve(MultiStatement.beginning(InboxSql.HOLD_WHILE_RECORDING));
        this.recordFailure = schema.resolve(InboxSql.RECORD_FAILURE) + MultiStatement.COMMIT;
    }

    @Override
    public InboxResult claim(Connection connection, InboxMessage message, Duration waitLimit) {
        long start = System.nanoTime();
        WaitBound bound = WaitBound.remaining(waitLimit, start);
        try {
            InboxResult result = insert(connection, message, bound);
            if (result.kind() != InboxResult.Kind.NEW || message.position() == null) {
                return result;
            }
            bound = WaitBound.remaining(waitLimit, start);
            while (!advance(connection, message.consumer(), message.position(), bound)) {
                Optional<InboxResult> refusal = findRefusal(connection, message.consumer(), message.position());
                if (refusal.isPresent()) {
                    return refusal.get();
                }
                bound = WaitBound.remaining(waitLimit, start);
            }
            return result;
        } catch (SQLException failure) {
            if (bound.ended(failure)) {
                return InboxResult.inProgress(failure);
            }
            throw SqlFailures.translate("receive a message", receive, failure);
        }
    }

    private InboxResult insert(Connection connection, InboxMessage message, WaitBound bound) throws SQLException {
        Fingerprint payload = message.payload();
        try (MultiStatement statements = MultiStatement.prepare(connection, receive)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            bindNewMessage(parameters, message);
            bindMessage(parameters, message);
            statements.execute();
            String isolation = readIsolation(statements);
            Optional<Instant> processedAt = readProcessedAt(statements);
            int failedAttempts = readFailedAttempts(statements);
            String transactionId = readTransactionId(statements);
            if (processedAt.isPresent()) {
                if (!isolation.equals(READ_COMMITTED)) {
                    collideWithUnseenFailures(connection, message.consumer(), List.of(message.messageId()));
                }
                return InboxResult.taken(failedAttempts, new InboxClaim(processedAt.get(), transactionId));
            }
        }
        return InboxResult.of(
                payload != null && hasOtherPayload(connection, message, payload)
                        ? InboxResult.Kind.CONFLICT
                        : InboxResult.Kind.DUPLICATE);
    }

    private static void bindNewMessage(StatementParameters parameters, InboxMessage message) throws SQLException {
        Fingerprint payload = message.payload();
        bindMessage(parameters, message);
        parameters.string(message.type());
        parameters.bytes(payload == null ? null : payload.hash());
        parameters.smallint(payload == null ? null : payload.version());
        parameters.duration(message.retention());
    }

    private static void bindMessage(StatementParameters parameters, InboxMessage message) throws SQLException {
        parameters.string(message.consumer());
        parameters.string(message.messageId());
    }

    private static String readIsolation(MultiStatement statements) throws SQLException {
        try (ResultSet settings = statements.firstRows()) {
            settings.next();
            return settings.getString(WaitBound.ISOLATION);
        }
    }

    private static Optional<Instant> readProcessedAt(MultiStatement statements) throws SQLException {
        try (ResultSet rows = statements.nextRows()) {
            return rows.next() ? Optional.of(TimeColumns.read(rows, PROCESSED_AT)) : Optional.empty();
        }
    }

    private static int readFailedAttempts(MultiStatement statements) throws SQLException {
        try (ResultSet rows = statements.nextRows()) {
            return rows.next() ? rows.getInt("attempt_count") : 0;
        }
    }

    private static @Nullable String readTransactionId(MultiStatement statements) throws SQLException {
        try (ResultSet settings = statements.nextRows()) {
            settings.next();
            return settings.getString(WaitBound.TRANSACTION);
        }
    }

    private static boolean nextResultHasRows(MultiStatement statements) throws SQLException {
        try (ResultSet rows = statements.nextRows()) {
            return rows.next();
        }
    }

    private void collideWithUnseenFailures(Connection connection, String consumer, Collection<String> messageIds)
            throws SQLException {
        if (messageIds.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(collideWithUnseenFailure)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.string(consumer);
            parameters.texts(messageIds);
            parameters.string(consumer);
            parameters.texts(messageIds);
            statement.execute();
        }
    }

    /** Uses a new statement, because the snapshot of the insert may be older than the row. */
    private boolean hasOtherPayload(Connection connection, InboxMessage message, Fingerprint payload)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(findPayload)) {
            bindMessage(new StatementParameters(statement), message);
            try (ResultSet rows = statement.executeQuery()) {
                byte[] hash = rows.next() ? rows.getBytes("payload_hash") : null;
                return hash != null && new Fingerprint(rows.getInt("hash_version"), hash).contradicts(payload);
            }
        }
    }

    @Override
    public boolean isCommitted(Connection connection, InboxMessage message, InboxClaim claim) {
        try (PreparedStatement statement = connection.prepareStatement(findClaim)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.string(claim.transactionId());
            bindMessage(parameters, message);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        && TimeColumns.read(rows, PROCESSED_AT).equals(claim.processedAt())
                        && rows.getBoolean("is_committed");
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("find out who has handled a message", findClaim, failure);
        }
    }

    private boolean advance(Connection connection, String consumer, StreamPosition position, WaitBound bound)
            throws SQLException {
        boolean strict = position.order() == DeliveryOrder.STRICT;
        try (MultiStatement statements = MultiStatement.prepare(connection, (strict ? advanceByOne : advance))) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            parameters.string(consumer);
            parameters.string(position.stream());
            parameters.bigint(position.version());
            if (strict) {
                parameters.bigint(position.firstVersion());
            }
            statements.execute();
            return nextResultHasRows(statements);
        }
    }

    /**
     * Returns why the position did not advance; empty if it can advance now, because another message has begun the stream in
     * the meantime.
     */
    private Optional<InboxResult> findRefusal(Connection connection, String consumer, StreamPosition position)
            throws SQLException {
        Optional<InboxResult> late = Optional.of(InboxResult.of(InboxResult.Kind.LATE));
        if (position.order() == DeliveryOrder.MONOTONIC) {
            return late;
        }
        long version = position.version();
        OptionalLong last = findPosition(connection, consumer, position.stream());
        if (last.isEmpty()) {
            return version > position.firstVersion() ? Optional.of(InboxResult.gap(position.firstVersion())) : late;
        }
        if (version <= last.getAsLong()) {
            return late;
        }
        return version - 1 == last.getAsLong() ? Optional.empty() : Optional.of(InboxResult.gap(last.getAsLong() + 1));
    }

    private OptionalLong findPosition(Connection connection, String consumer, String stream) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(findPosition)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.string(consumer);
            parameters.string(stream);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? OptionalLong.of(rows.getLong("last_version")) : OptionalLong.empty();
            }
        }
    }

    @Override
    public InboxBatchResult claimNew(
            Connection connection,
            String consumer,
            Collection<String> messageIds,
            Duration retention,
            Duration waitLimit) {
        WaitBound bound = WaitBound.remaining(waitLimit, System.nanoTime());
        try {
            return new InboxBatchResult(insertNew(connection, consumer, messageIds, retention, bound), null);
        } catch (SQLException failure) {
            if (bound.ended(failure)) {
                return new InboxBatchResult(Set.of(), failure);
            }
            throw SqlFailures.translate("receive a batch of messages", claimNew, failure);
        }
    }

    private Set<String> insertNew(
            Connection connection, String consumer, Collection<String> messageIds, Duration retention, WaitBound bound)
            throws SQLException {
        Set<String> duplicates = new HashSet<>();
        String isolation;
        try (MultiStatement statements = MultiStatement.prepare(connection, claimNew)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            parameters.string(consumer);
            parameters.texts(messageIds);
            parameters.duration(retention);
            parameters.string(consumer);
            parameters.texts(messageIds);
            statements.execute();
            isolation = readIsolation(statements);
            try (ResultSet rows = statements.nextRows()) {
                while (rows.next()) {
                    duplicates.add(rows.getString("id"));
                }
            }
        }
        if (!isolation.equals(READ_COMMITTED)) {
            List<String> received =
                    messageIds.stream().filter(id -> !duplicates.contains(id)).toList();
            collideWithUnseenFailures(connection, consumer, received);
        }
        return duplicates;
    }

    @Override
    public boolean recordFailure(Connection connection, InboxMessage message, Failure failure) {
        try {
            if (!hold(connection, message)) {
                return false;
            }
            try (PreparedStatement statement = connection.prepareStatement(recordFailure)) {
                StatementParameters parameters = new StatementParameters(statement);
                bindMessage(parameters, message);
                parameters.string(message.type());
                parameters.string(failure.code());
                parameters.string(failure.message());
                parameters.duration(message.retention());
                bindMessage(parameters, message);
                statement.execute();
                return true;
            }
        } catch (SQLException recordingFailure) {
            throw SqlFailures.translate("record the failure of a message", recordFailure, recordingFailure);
        }
    }

    private boolean hold(Connection connection, InboxMessage message) throws SQLException {
        try (MultiStatement statements = MultiStatement.prepare(connection, holdWhileRecording)) {
            bindNewMessage(statements.parameters(), message);
            statements.execute();
            return nextResultHasRows(statements);
        }
    }
}
