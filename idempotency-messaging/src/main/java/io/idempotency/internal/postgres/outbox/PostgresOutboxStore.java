package io.idempotency.internal.postgres.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.CannotAcquireLockException;

import io.idempotency.internal.outbox.NewMessage;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.outbox.SendResult;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.TimeColumns;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.outbox.DeduplicationKeyReusedException;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;

import static java.util.Objects.requireNonNull;

/** The store of messages to send. */
public final class PostgresOutboxStore implements OutboxStore {

    private static final int RESULTS_BEFORE_LANES = 4;

    /** Named by feature so that its level can be set. */
    private static final Logger logger = LoggerFactory.getLogger("io.idempotency.outbox");

    /** The release reads all delayed messages, so it is not part of each batch. */
    private static final Duration BETWEEN_RELEASES = Duration.ofMinutes(1);

    /** A row with the same deduplication key may be purged between the insert and the query. */
    private static final int MAX_TRIES = 3;

    private final Duration retention;

    private final String application;

    private final String insert;

    private final String findDuplicate;

    private final String takeAll;

    private final String takeOfTopics;

    private final String mark;

    private final String markLater;

    private final String backlog;

    private final String releaseFromFuture;

    private final AtomicLong nextRelease = new AtomicLong(System.nanoTime());

    private final SearchFloor floor;

    private final RequiresNewTransaction transaction;

    /**
     * Prepares the statements.
     *
     * @param application the name of the application: messages of topics that belong to another one are not taken
     */
    public PostgresOutboxStore(Schema schema, DataSource dataSource, Duration retention, String application) {
        this(schema, dataSource, retention, application, new SearchFloor(System::nanoTime));
    }

    PostgresOutboxStore(
            Schema schema, DataSource dataSource, Duration retention, String application, SearchFloor floor) {
        this.floor = floor;
        this.retention = retention;
        this.application = application;
        this.insert = schema.resolve(OutboxSql.INSERT);
        this.findDuplicate = schema.resolve(OutboxSql.FIND_DUPLICATE);
        this.takeAll = schema.resolve(OutboxSql.TAKE_ALL);
        this.takeOfTopics = schema.resolve(OutboxSql.TAKE_TOPICS);
        this.mark = schema.resolve(OutboxSql.MARK);
        this.markLater = schema.resolve(OutboxSql.MARK_LATER);
        this.backlog = schema.resolve(OutboxSql.BACKLOG);
        this.releaseFromFuture = schema.resolve(OutboxSql.RELEASE_FROM_FUTURE);
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    @Override
    public UUID record(Connection connection, NewMessage message) {
        try {
            for (int i = 0; i < MAX_TRIES; i++) {
                UUID id = insert(connection, message);
                if (id == null) {
                    id = findDuplicate(connection, message);
                }
                if (id != null) {
                    return id;
                }
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("record a message to send", insert, failure);
        }
        throw new CannotAcquireLockException("The deduplication key '"
                + message.message().deduplicationKey() + "' was in use and free again " + MAX_TRIES + " times");
    }

    private @Nullable UUID insert(Connection connection, NewMessage newMessage) throws SQLException {
        OutboxMessage message = newMessage.message();
        Instant notBefore = message.notBefore();
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.uuid(newMessage.id());
            parameters.string(message.topic());
            parameters.string(message.type());
            parameters.string(message.orderingKey());
            parameters.integer(newMessage.lane());
            parameters.string(message.aggregateType());
            parameters.string(message.aggregateId());
            parameters.string(newMessage.payload());
            parameters.texts(newMessage.headers().keySet());
            parameters.texts(newMessage.headers().values());
            parameters.string(message.deduplicationKey());
            parameters.intent(newMessage.intent());
            parameters.time(notBefore == null ? null : notBefore.atOffset(ZoneOffset.UTC));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getObject("message_id", UUID.class) : null;
            }
        }
    }

    /**
     * Returns {@code null} if the message was deleted in the meantime. Uses a new statement, because the snapshot of the insert
     * may be older than the row.
     */
    private @Nullable UUID findDuplicate(Connection connection, NewMessage newMessage) throws SQLException {
        OutboxMessage message = newMessage.message();
        try (PreparedStatement statement = connection.prepareStatement(findDuplicate)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.string(message.topic());
            parameters.string(message.deduplicationKey());
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return null;
                }
                UUID id = rows.getObject("message_id", UUID.class);
                if (!rows.getString("message_type").equals(message.type())
                        || !StoredJson.areSame(rows.getString("payload"), newMessage.payload())) {
                    throw new DeduplicationKeyReusedException(
                            message.topic(), requireNonNull(message.deduplicationKey()), id);
                }
                return id;
            }
        }
    }

    @Override
    public SentBatch send(
            int limit,
            Duration bound,
            @Nullable Collection<String> topics,
            Function<List<DueMessage>, List<SendResult>> sending) {
        List<SendResult> results = new ArrayList<>();
        try {
            return transaction.call(connection -> {
                try {
                    List<DueMessage> taken = take(connection, limit, bound, topics);
                    if (taken.isEmpty()) {
                        releaseFromFuture(connection);
                    } else {
                        results.addAll(sending.apply(taken));
                    }
                    return new SentBatch(results, results.isEmpty() ? Instant.EPOCH : mark(connection, results));
                } catch (SQLException failure) {
                    throw SqlFailures.translate("send messages", topics == null ? takeAll : takeOfTopics, failure);
                }
            });
        } catch (RuntimeException failure) {
            return new SentBatch(results, markLater(results, failure));
        }
    }

    /** Marks on another connection: otherwise the same messages would be sent for ever, and no others, if a limit ended each batch. */
    private Instant markLater(List<SendResult> results, RuntimeException failure) {
        Instant markedAt = null;
        try {
            markedAt = results.isEmpty()
                    ? null
                    : transaction.send(connection -> {
                        try (MultiStatement statements = MultiStatement.prepare(connection, markLater)) {
                            bindMarks(statements.parameters(), results);
                            statements.execute();
                            return markedAt(statements.nextRows());
                        } catch (SQLException again) {
                            throw SqlFailures.translate("mark messages", markLater, again);
                        }
                    });
        } catch (RuntimeException again) {
            failure.addSuppressed(again);
        }
        if (markedAt == null) {
            throw failure;
        }
        logger.warn(
                "The transaction of a batch has ended before the results of {} messages were stored; they are stored now",
                results.size(),
                failure);
        return markedAt;
    }

    private List<DueMessage> take(Connection connection, int limit, Duration bound, @Nullable Collection<String> topics)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(topics == null ? takeAll : takeOfTopics)) {
            StatementParameters parameters = new StatementParameters(statement);
            SearchFloor.From from = floor.next();
            parameters.string(Long.toString(bound.toMillis()));
            parameters.string(from.time());
            bindReady(parameters, topics);
            parameters.integer(limit);
            parameters.integer(limit);
            parameters.integer(from.takesNumber() ? 1 : 0);
            bindReady(parameters, topics);
            parameters.integer(limit);
            statement.execute();
            // The settings come first.
            for (int i = 0; i < RESULTS_BEFORE_LANES; i++) {
                statement.getMoreResults();
            }
            try (ResultSet lanes = statement.getResultSet()) {
                lanes.next();
                floor.learn(from, SearchFloor.Search.read(lanes));
            }
            statement.getMoreResults();
            try (ResultSet rows = statement.getResultSet()) {
                return inOrder(rows);
            }
        }
    }

    private void bindReady(StatementParameters parameters, @Nullable Collection<String> topics) throws SQLException {
        for (int i = 0; i < 2; i++) {
            if (topics == null) {
                parameters.string(application);
            } else {
                parameters.texts(topics);
            }
        }
    }

    private void releaseFromFuture(Connection connection) throws SQLException {
        long now = System.nanoTime();
        long due = nextRelease.get();
        if (now - due < 0 || !nextRelease.compareAndSet(due, now + BETWEEN_RELEASES.toNanos())) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(releaseFromFuture)) {
            statement.executeUpdate();
        }
    }

    /**
     * Leaves out a message whose predecessor was not taken. The predecessor may be delayed, locked or for others, or it may be in a
     * lane of another relay because the number of lanes has changed.
     */
    private static List<DueMessage> inOrder(ResultSet rows) throws SQLException {
        List<DueMessage> taken = new ArrayList<>();
        Set<Long> sequences = new HashSet<>();
        while (rows.next()) {
            long predecessor = rows.getLong("predecessor");
            if (rows.wasNull() || sequences.contains(predecessor)) {
                sequences.add(rows.getLong("sequence"));
                taken.add(map(rows));
            }
        }
        return taken;
    }

    private static DueMessage map(ResultSet row) throws SQLException {
        Map<String, String> headers = Map.of();
        String problem = null;
        try {
            headers = StoredJson.textsOf(row.getString("headers"));
        } catch (IllegalArgumentException unreadable) {
            problem = "its headers cannot be read: " + unreadable.getMessage();
        }
        OutboxRecord message = new OutboxRecord(
                row.getObject("message_id", UUID.class),
                row.getString("topic"),
                row.getString("message_type"),
                row.getString("ordering_key"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getString("payload"),
                headers,
                IntentColumns.read(row),
                TimeColumns.read(row, "created_at"),
                TimeColumns.read(row, "due_at"),
                Math.max(0, row.getInt("attempt_count")) + 1);
        return new DueMessage(message, Duration.ofMillis(row.getLong("waited")), problem);
    }

    private Instant mark(Connection connection, List<SendResult> results) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(mark)) {
            bindMarks(new StatementParameters(statement), results);
            return requireNonNull(markedAt(statement.executeQuery()));
        }
    }

    private void bindMarks(StatementParameters parameters, List<SendResult> results) throws SQLException {
        parameters.duration(retention);
        parameters.array(
                "uuid", results.stream().map(result -> result.message().id()).toArray());
        parameters.array(
                "text",
                results.stream().map(result -> statusAfter(result.status())).toArray());
        parameters.array(
                "integer",
                results.stream()
                        .map(result -> result.status().isCounted() ? 1 : 0)
                        .toArray());
        parameters.array(
                "bigint",
                results.stream().map(result -> result.retryAfter().toMillis()).toArray());
        parameters.array("text", results.stream().map(SendResult::error).toArray());
        parameters.array(
                "integer",
                results.stream().map(result -> result.message().attempt() - 1).toArray());
    }

    private static @Nullable Instant markedAt(ResultSet rows) throws SQLException {
        return rows.next() ? TimeColumns.read(rows, "marked_at") : null;
    }

    private static String statusAfter(SendResult.Status status) {
        return switch (status) {
            case SENT -> "sent";
            case FAILED, NOT_COUNTED, LEFT -> "pending";
            case DEAD -> "dead";
        };
    }

    @Override
    public Backlog backlog(int limit) {
        return transaction.call(connection -> {
            try (MultiStatement statements = MultiStatement.prepare(connection, backlog)) {
                StatementParameters parameters = statements.parameters();
                parameters.string(application);
                parameters.integer(limit);
                parameters.integer(limit);
                statements.execute();
                ResultSet row = statements.nextRows();
                row.next();
                return new Backlog(
                        row.getInt("pending"),
                        row.getInt("dead"),
                        Duration.ofMillis(Math.max(0, row.getLong("oldest_due"))),
                        List.of((String[]) row.getArray("late_topics").getArray()),
                        List.of((String[]) row.getArray("topics_of_others").getArray()));
            } catch (SQLException failure) {
                throw SqlFailures.translate("count messages to send", backlog, failure);
            }
        });
    }
}
