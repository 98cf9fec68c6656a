package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** One connection with one transaction after the other, in which keys are claimed as by the executor. */
public final class Session extends OpenConnection<Session> {

    private final ClaimStore store;

    public Session(DataSource dataSource) throws SQLException {
        this(dataSource.getConnection());
    }

    public Session(Connection connection) throws SQLException {
        this(connection, MigratedTables.SCHEMA);
    }

    public Session(Connection connection, String schema) throws SQLException {
        this(connection, MigratedTables.storage(null, schema).claimStore("test-process", null));
    }

    /** On a new connection. */
    public Session(TestDatabase database) throws SQLException {
        this(database.connection());
    }

    public Session(Connection connection, ClaimStore store) throws SQLException {
        super(connection);
        this.store = store;
    }

    public ClaimStore store() {
        return store;
    }

    public ClaimResult claim(ClaimRequest request) {
        return store.claim(connection(), request);
    }

    public Optional<StoredRequest> find(ClaimRequest request) {
        return store.find(connection(), request);
    }

    /** Returns the result for a request whose row was found outside of its transaction. */
    public Optional<ClaimResult> findAnswered(ClaimRequest request) {
        return find(request).map(stored -> stored.answerTo(request));
    }

    public Session claimGranted(ClaimRequest request) {
        assertThat(claim(request)).isEqualTo(Requests.GRANTED);
        return this;
    }

    public Session complete(ClaimRequest request, String body) {
        assertThat(complete(new Completion(request.fence(1), body, null, null))).isTrue();
        return this;
    }

    public boolean complete(Completion completion) {
        return store.complete(connection(), completion);
    }

    public TransactionState state() {
        return TransactionState.of(connection());
    }

    /** A call from claim to commit. */
    public ClaimResult call(ClaimRequest request, String body) throws SQLException {
        ClaimResult claim = claim(request);
        if (claim.isGranted() && !request.completeAtOnce()) {
            complete(request, body);
        }
        commit();
        return claim;
    }

    /** Holds what the transaction holds for that long, by the server's clock, and commits. */
    public void commitAfter(Duration time) throws SQLException {
        execute("select pg_sleep(" + time.toMillis() / 1000.0 + ")");
        commit();
    }
}
