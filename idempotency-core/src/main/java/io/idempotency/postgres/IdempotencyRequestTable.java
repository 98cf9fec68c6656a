package io.idempotency.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

import org.postgresql.core.BaseConnection;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.claim.Claim;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.ClaimStore;
import io.idempotency.claim.Completion;
import io.idempotency.claim.RequestStatus;
import io.idempotency.claim.StoredRequest;
import io.idempotency.codec.Fingerprint;

/** Claims in the table {@code idempotency_request}. */
final class IdempotencyRequestTable implements ClaimStore {

    /**
     * One round trip: the wait bound, the claim, and the application's own setting restored. A lock_timeout would bound
     * each lock wait and not their sum. The bound needs no restoring if it strikes, because the transaction is aborted
     * then and its settings with it.
     */
    private static final String CLAIM = """
            select set_config('idempotency.prev', current_setting('statement_timeout'), true),
                   set_config('statement_timeout', ?, true);
            insert into {schema}.idempotency_request (
                request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version,
                status, response_body, claimed_by, claimed_at, attempt_count, created_at, updated_at, expires_at)
            select ?, ?, ?, ?, ?, ?, ?, ?, ?, t.now, 1, t.now, t.now, t.now + ? * interval '1 millisecond'
            from (select clock_timestamp() as now) t
            on conflict (request_id) do nothing;
            select set_config('statement_timeout', current_setting('idempotency.prev'), true)""";

    /** Takes no row lock: a lock writes, and a replay writes nothing. */
    private static final String FIND = """
            select idempotency_scope, caller, idempotency_key, request_hash, hash_version, status, response_body
            from {schema}.idempotency_request
            where request_id = ?""";

    private static final String COMPLETE = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, result_ref_type = ?, result_ref_id = ?,
                updated_at = clock_timestamp()
            where request_id = ? and status = 'processing'""";

    /** A row can vanish between claim and look as often as it is purged or rolled back in just that moment. */
    private static final int MAX_LOOKS = 10;

    private static final int NO_UPDATE_COUNT = -1;

    private static final String JSON_NULL = "null";

    private final String claim;

    private final String find;

    private final String complete;

    private final String claimedBy;

    IdempotencyRequestTable(Schema schema, String claimedBy) {
        this.claim = schema.resolve(CLAIM);
        this.find = schema.resolve(FIND);
        this.complete = schema.resolve(COMPLETE);
        this.claimedBy = claimedBy;
    }

    @Override
    public Claim claim(Connection connection, ClaimRequest request) {
        long start = System.nanoTime();
        for (int look = 1; look <= MAX_LOOKS; look++) {
            WaitBound bound = WaitBound.remaining(request.waitLimit(), start);
            try {
                if (insert(connection, request, bound)) {
                    return new Claim.Granted(1);
                }
            } catch (SQLException failure) {
                if (bound.ended(failure)) {
                    return new Claim.InProgress(failure);
                }
                throw SqlFailures.translate("claim the " + request.intent(), claim, failure);
            }
            Optional<StoredRequest> stored = find(connection, request.id());
            if (stored.isPresent()) {
                return stored.get().answerTo(request);
            }
        }
        throw new IllegalStateException("The row of the " + request.intent() + " was seen and vanished " + MAX_LOOKS
                + " times: something deletes it as soon as it is written");
    }

    private boolean insert(Connection connection, ClaimRequest request, WaitBound bound) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(claim)) {
            Intent intent = request.intent();
            statement.setString(1, Long.toString(bound.milliseconds()));
            statement.setObject(2, request.id());
            statement.setString(3, intent.scope());
            statement.setString(4, intent.caller());
            statement.setString(5, intent.key().value());
            statement.setBytes(6, request.fingerprint().hash());
            statement.setInt(7, request.fingerprint().version());
            statement.setString(8, request.completeAtOnce() ? "succeeded" : "processing");
            statement.setObject(9, request.completeAtOnce() ? JSON_NULL : null, Types.OTHER);
            statement.setString(10, claimedBy);
            statement.setLong(11, request.retention().toMillis());
            return updateCountOf(statement) == 1;
        }
    }

    /** The one update count among the results of a statement that consists of several. */
    private static int updateCountOf(PreparedStatement statement) throws SQLException {
        int updated = NO_UPDATE_COUNT;
        boolean isResultSet = statement.execute();
        while (isResultSet || statement.getUpdateCount() >= 0) {
            if (!isResultSet) {
                updated = statement.getUpdateCount();
            }
            isResultSet = statement.getMoreResults();
        }
        if (updated == NO_UPDATE_COUNT) {
            throw new IllegalStateException(
                    "The driver does not tell how many rows a claim has inserted: remove"
                            + " prepareThreshold=-1 from the JDBC URL, which makes it report statements as if they were queries");
        }
        return updated;
    }

    private Optional<StoredRequest> find(Connection connection, UUID id) {
        try (PreparedStatement statement = connection.prepareStatement(find)) {
            statement.setObject(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(map(rows)) : Optional.empty();
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("find a request", find, failure);
        }
    }

    private static StoredRequest map(ResultSet row) throws SQLException {
        return new StoredRequest(
                new Intent(row.getString(1), row.getString(2), new IdempotencyKey(row.getString(3))),
                new Fingerprint(row.getInt(5), row.getBytes(4)),
                statusOf(row.getString(6)),
                row.getString(7));
    }

    private static RequestStatus statusOf(String status) {
        for (RequestStatus known : RequestStatus.values()) {
            if (known.name().toLowerCase(Locale.ROOT).equals(status)) {
                return known;
            }
        }
        throw new IllegalStateException("The request status '" + status
                + "' is not known to this version of the library: upgrade every application that shares the database");
    }

    @Override
    public void complete(Connection connection, Completion completion) {
        int updated;
        try (PreparedStatement statement = connection.prepareStatement(complete)) {
            statement.setObject(1, completion.responseBody(), Types.OTHER);
            statement.setString(2, completion.resultType());
            statement.setString(3, completion.resultId());
            statement.setObject(4, completion.id());
            updated = statement.executeUpdate();
        } catch (SQLException failure) {
            throw SqlFailures.translate("complete a claim", complete, failure);
        }
        if (updated != 1) {
            throw new IllegalStateException("The claim " + completion.id()
                    + " is gone before it was completed: something in its transaction deleted or completed its row");
        }
    }

    @Override
    public TransactionState transactionState(Connection connection) {
        try {
            return switch (connection.unwrap(BaseConnection.class).getTransactionState()) {
                case OPEN -> TransactionState.OPEN;
                case FAILED -> TransactionState.ABORTED;
                case IDLE -> TransactionState.ENDED;
            };
        } catch (SQLException failure) {
            throw SqlFailures.translate("read the state of the transaction", null, failure);
        }
    }
}
