package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import io.idempotency.DeliveryOrder;
import io.idempotency.internal.codec.Fingerprint;
import io.idempotency.internal.inbox.BatchReception;
import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.inbox.Receipt;
import io.idempotency.internal.inbox.Reception;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/** The statements of the inbox. */
final class ProcessedMessageTable implements InboxStore {

    private static final String INSERT = """
            insert into {schema}.processed_message (
                consumer, message_id, message_type, payload_hash, hash_version, processed_at, expires_at)
            values (?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp() + cast(? as float8) * interval '1 millisecond')
            on conflict do nothing
            returning current_setting('transaction_isolation'), pg_current_xact_id()""";

    /**
     * Failures of the message are forgotten with its success: if that is rolled back, they are there again. Two statements,
     * because one that waited for another delivery does not see how that failed.
     */
    private static final String RECEIVE = WaitBound.around(INSERT + """
            ;
            delete from {schema}.message_failure
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)
            returning attempt_count""");

    /**
     * In a snapshot that does not show the last failure, that would stay behind: an insert collides with it all the same,
     * and the repeat sees it.
     */
    private static final String COLLIDE_WITH_UNSEEN_FAILURE = """
            insert into {schema}.message_failure (
                consumer, message_id, attempt_count, failure_code, failure_message,
                first_failed_at, last_failed_at, expires_at)
            select ?, message.id, 1, '', '', statement_timestamp(), statement_timestamp(), '-infinity'
            from pg_catalog.unnest(?::text[]) as message (id)
            on conflict do nothing;
            delete from {schema}.message_failure
            where consumer operator(pg_catalog.=) ? and message_id operator(pg_catalog.=) any (?::text[]) and expires_at = '-infinity'""";

    /** A row holds the last 32 bits of the number of its transaction. */
    private static final long WITHOUT_EPOCH = 0xFFFF_FFFFL;

    private static final String READ_COMMITTED = "read committed";

    private static final String FIND_PAYLOAD = """
            select payload_hash, hash_version
            from {schema}.processed_message
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)""";

    private static final String FIND_TRANSACTION = """
            select xmin
            from {schema}.processed_message
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)""";

    private static final String ADVANCE = WaitBound.around("""
            insert into {schema}.stream_position as position (consumer, stream_id, last_version, updated_at)
            values (?, ?, ?, clock_timestamp())
            on conflict (consumer, stream_id) do update
            set last_version = excluded.last_version, updated_at = excluded.updated_at
            where position.last_version < excluded.last_version
            returning last_version""");

    /** A stream that nobody has seen yet must begin with its first version. */
    private static final String ADVANCE_BY_ONE = WaitBound.around("""
            insert into {schema}.stream_position as position (consumer, stream_id, last_version, updated_at)
            select new.consumer, new.stream_id, new.version, clock_timestamp()
            from (values (?, ?, ?::bigint, ?::bigint)) as new (consumer, stream_id, version, first_version)
            where new.version = new.first_version
               or exists (
                   select 1
                   from {schema}.stream_position as known
                   where (known.consumer, known.stream_id) operator(pg_catalog.=) (new.consumer, new.stream_id))
            on conflict (consumer, stream_id) do update
            set last_version = excluded.last_version, updated_at = excluded.updated_at
            where case when position.last_version < excluded.last_version
                       then position.last_version = excluded.last_version - 1 end
            returning last_version""");

    private static final String FIND_POSITION = """
            select last_version
            from {schema}.stream_position
            where (consumer, stream_id) operator(pg_catalog.=) (?, ?)""";

    /**
     * In partitions each insert would look for earlier messages by itself, for most of its time, if it were not told that this
     * is done for all of them at once, by the function.
     */
    private static final String RECEIVE_NEW = WaitBound.around("idempotency.looked", """
            select repeat.id
            from {schema}.processed_message_store(?::text, ?::text[], cast(? as float8) * interval '1 millisecond') as repeat (id);
            delete from {schema}.message_failure
            where consumer operator(pg_catalog.=) ? and message_id operator(pg_catalog.=) any (?::text[])""");

    /** Waits for another delivery that is handling the message: if it succeeds, there is nothing to record. */
    private static final String HOLD_WHILE_RECORDING = WaitBound.BRIEFLY + INSERT;

    private static final String RECORD_FAILURE = """
            insert into {schema}.message_failure as failure (
                consumer, message_id, message_type, attempt_count, failure_code, failure_message,
                first_failed_at, last_failed_at, expires_at)
            select ?, ?, ?, 1, ?, ?, t.now, t.now, t.now + cast(? as float8) * interval '1 millisecond'
            from (select clock_timestamp() as now) t
            on conflict (consumer, message_id) do update
            set attempt_count = failure.attempt_count + 1,
                message_type = excluded.message_type,
                failure_code = excluded.failure_code,
                failure_message = excluded.failure_message,
                last_failed_at = excluded.last_failed_at,
                expires_at = excluded.expires_at;
            delete from {schema}.processed_message
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)""";

    private final String receive;

    private final String collideWithUnseenFailure;

    private final String findPayload;

    private final String findTransaction;

    private final String advance;

    private final String advanceByOne;

    private final String findPosition;

    private final String receiveNew;

    private final String holdWhileRecording;

    private final String recordFailure;

    ProcessedMessageTable(Schema schema) {
        this.receive = schema.resolve(RECEIVE);
        this.collideWithUnseenFailure = schema.resolve(COLLIDE_WITH_UNSEEN_FAILURE);
        this.findPayload = schema.resolve(FIND_PAYLOAD);
        this.findTransaction = schema.resolve(FIND_TRANSACTION);
        this.advance = schema.resolve(ADVANCE);
        this.advanceByOne = schema.resolve(ADVANCE_BY_ONE);
        this.findPosition = schema.resolve(FIND_POSITION);
        this.receiveNew = schema.resolve(RECEIVE_NEW);
        this.holdWhileRecording = schema.resolve(HOLD_WHILE_RECORDING);
        this.recordFailure = schema.resolve(RECORD_FAILURE);
    }

    @Override
    public Reception receive(Connection connection, Receipt receipt, Duration waitLimit) {
        long start = System.nanoTime();
        WaitBound bound = WaitBound.remaining(waitLimit, start);
        try {
            Reception reception = insert(connection, receipt, bound);
            if (reception.kind() != Reception.Kind.NEW || receipt.position() == null) {
                return reception;
            }
            bound = WaitBound.remaining(waitLimit, start);
            while (!advance(connection, receipt.consumer(), receipt.position(), bound)) {
                Optional<Reception> refusal = findRefusal(connection, receipt.consumer(), receipt.position());
                if (refusal.isPresent()) {
                    return refusal.get();
                }
                bound = WaitBound.remaining(waitLimit, start);
            }
            return reception;
        } catch (SQLException failure) {
            if (bound.ended(failure)) {
                return Reception.inProgress(failure);
            }
            throw SqlFailures.translate("receive a message", receive, failure);
        }
    }

    private Reception insert(Connection connection, Receipt receipt, WaitBound bound) throws SQLException {
        Fingerprint payload = receipt.payload();
        try (MultiStatement statements = MultiStatement.prepare(connection, receive)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            bindReceipt(parameters, receipt);
            bindMessage(parameters, receipt);
            statements.execute();
            Optional<Taken> taken = takenBy(statements);
            Optional<String> failedBefore = nextResultOf(statements);
            if (taken.isPresent()) {
                if (!taken.get().isolation().equals(READ_COMMITTED)) {
                    collideWithUnseenFailures(connection, receipt.consumer(), List.of(receipt.messageId()));
                }
                return Reception.taken(
                        failedBefore.map(Integer::valueOf).orElse(0),
                        taken.get().transactionId());
            }
        }
        return Reception.of(
                payload != null && isAnother(connection, receipt, payload)
                        ? Reception.Kind.CONFLICT
                        : Reception.Kind.DUPLICATE);
    }

    private static void bindReceipt(StatementParameters parameters, Receipt receipt) throws SQLException {
        Fingerprint payload = receipt.payload();
        bindMessage(parameters, receipt);
        parameters.string(receipt.type());
        parameters.bytes(payload == null ? null : payload.hash());
        parameters.smallint(payload == null ? null : payload.version());
        parameters.duration(receipt.retention());
    }

    private static void bindMessage(StatementParameters parameters, Receipt receipt) throws SQLException {
        parameters.string(receipt.consumer());
        parameters.string(receipt.messageId());
    }

    private static Optional<Taken> takenBy(MultiStatement statements) throws SQLException {
        try (ResultSet rows = statements.nextRows()) {
            return rows.next() ? Optional.of(new Taken(rows.getString(1), rows.getString(2))) : Optional.empty();
        }
    }

    /** What the first row of the next of several results says. */
    private static Optional<String> nextResultOf(MultiStatement statements) throws SQLException {
        try (ResultSet rows = statements.nextRows()) {
            return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
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

    /** With a new statement, because that of the insert may have begun before the row was there. */
    private boolean isAnother(Connection connection, Receipt receipt, Fingerprint payload) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(findPayload)) {
            bindMessage(new StatementParameters(statement), receipt);
            try (ResultSet rows = statement.executeQuery()) {
                byte[] hash = rows.next() ? rows.getBytes(1) : null;
                return hash != null && new Fingerprint(rows.getInt(2), hash).contradicts(payload);
            }
        }
    }

    @Override
    public boolean isHandledBy(Connection connection, Receipt receipt, String transactionId) {
        try (PreparedStatement statement = connection.prepareStatement(findTransaction)) {
            bindMessage(new StatementParameters(statement), receipt);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getLong(1) == (Long.parseUnsignedLong(transactionId) & WITHOUT_EPOCH);
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("find who handled a message", findTransaction, failure);
        }
    }

    private boolean advance(Connection connection, String consumer, Receipt.StreamPosition position, WaitBound bound)
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
            return nextResultOf(statements).isPresent();
        }
    }

    /**
     * Why the stream did not move; nothing if it could move now, because another message began it after this one had not
     * found it.
     */
    private Optional<Reception> findRefusal(Connection connection, String consumer, Receipt.StreamPosition position)
            throws SQLException {
        Optional<Reception> late = Optional.of(Reception.of(Reception.Kind.LATE));
        if (position.order() == DeliveryOrder.MONOTONIC) {
            return late;
        }
        long version = position.version();
        OptionalLong last = findPosition(connection, consumer, position.stream());
        if (last.isEmpty()) {
            return version > position.firstVersion() ? Optional.of(Reception.gap(position.firstVersion())) : late;
        }
        if (version <= last.getAsLong()) {
            return late;
        }
        return version - 1 == last.getAsLong() ? Optional.empty() : Optional.of(Reception.gap(last.getAsLong() + 1));
    }

    private OptionalLong findPosition(Connection connection, String consumer, String stream) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(findPosition)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.string(consumer);
            parameters.string(stream);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    @Override
    public BatchReception receiveNew(
            Connection connection,
            String consumer,
            Collection<String> messageIds,
            Duration retention,
            Duration waitLimit) {
        WaitBound bound = WaitBound.remaining(waitLimit, System.nanoTime());
        try {
            return new BatchReception(insertNew(connection, consumer, messageIds, retention, bound), null);
        } catch (SQLException failure) {
            if (bound.ended(failure)) {
                return new BatchReception(Set.of(), failure);
            }
            throw SqlFailures.translate("receive a batch of messages", receiveNew, failure);
        }
    }

    private Set<String> insertNew(
            Connection connection, String consumer, Collection<String> messageIds, Duration retention, WaitBound bound)
            throws SQLException {
        Set<String> repeats = new HashSet<>();
        String isolation;
        try (MultiStatement statements = MultiStatement.prepare(connection, receiveNew)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            parameters.string(consumer);
            parameters.texts(messageIds);
            parameters.duration(retention);
            parameters.string(consumer);
            parameters.texts(messageIds);
            statements.execute();
            try (ResultSet settings = statements.firstRows()) {
                settings.next();
                isolation = settings.getString(WaitBound.ISOLATION);
            }
            try (ResultSet rows = statements.nextRows()) {
                while (rows.next()) {
                    repeats.add(rows.getString(1));
                }
            }
        }
        if (!isolation.equals(READ_COMMITTED)) {
            List<String> received =
                    messageIds.stream().filter(id -> !repeats.contains(id)).toList();
            collideWithUnseenFailures(connection, consumer, received);
        }
        return repeats;
    }

    @Override
    public boolean recordFailure(Connection connection, Receipt receipt, String code, String message) {
        try {
            if (!hold(connection, receipt)) {
                return false;
            }
            try (PreparedStatement statement = connection.prepareStatement(recordFailure)) {
                StatementParameters parameters = new StatementParameters(statement);
                bindMessage(parameters, receipt);
                parameters.string(receipt.type());
                parameters.string(code);
                parameters.string(message);
                parameters.duration(receipt.retention());
                bindMessage(parameters, receipt);
                statement.execute();
                return true;
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("record the failure of a message", recordFailure, failure);
        }
    }

    private boolean hold(Connection connection, Receipt receipt) throws SQLException {
        try (MultiStatement statements = MultiStatement.prepare(connection, holdWhileRecording)) {
            bindReceipt(statements.parameters(), receipt);
            statements.execute();
            return nextResultOf(statements).isPresent();
        }
    }

    /** The transaction of the insert of a new message. */
    private record Taken(String isolation, String transactionId) {}
}
