package io.idempotency.internal.postgres.engine;

import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.lock.PostgresLockStore;
import io.idempotency.internal.postgres.request.PostgresClaimStore;

/** A transaction that tries a key and a lock with the statements of real calls. It is rolled back. */
record ClaimTrial(Connection connection, Schema schema, UUID key) {

    private static final String REPEATED = "A call and its repeat would both take effect.";

    private static final String FIX_KEYS = "Remove triggers and rules from the table idempotency_request, and let all"
            + " connections of the DataSource lead to one and the same PostgreSQL server. Another engine will not do.";

    private static final String FIX_LOCKS = "Use PostgreSQL itself: this engine has no advisory locks of transactions.";

    static final String FIX_POOLER =
            "If a pooler is between the application and the server, set its pool_mode to transaction or session.";

    void takeBoth() {
        requireGranted(key, "A claim of a new key");
        require(
                claim(key, 2_000) != Kind.GRANTED_NEW,
                "A key was granted twice in one transaction",
                REPEATED,
                FIX_KEYS);
        require(
                lock(),
                "An advisory lock that nobody holds was not granted",
                "No relay would send messages, and no lock of the application be taken.",
                FIX_LOCKS);
        requireCounts();
    }

    /** Tries to record a step under a lease that nobody holds, in the middle of a message. */
    private void requireCounts() {
        Fence nobody = new Fence(requestKey(key), 1, key);
        try {
            store().recordStep(connection, nobody, RecordedStep.succeeded("verify", "1"));
        } catch (IllegalStateException uncounted) {
            require(
                    false,
                    "The driver did not report how many rows a statement has changed that another one follows in the same message",
                    "Leased calls, and repeats of calls that have failed, would end with an exception.",
                    "Remove prepareThreshold=-1 from the JDBC URL.");
        }
    }

    /** Tries to take both while the other transaction holds them, and after its end. */
    void contest(Connection holder) throws SQLException {
        require(
                !lock(),
                "An advisory lock that one transaction holds was granted to another one",
                "Two transactions would hold one lock, which would lock nothing, and two relays send the same messages.",
                FIX_LOCKS + " " + FIX_POOLER);
        // The first claim of a connection is slow, and would be taken for one that waits.
        requireGranted(UUID.randomUUID(), "A claim of a new key");
        Kind whileHeld = claimHeldKey();
        require(
                whileHeld != Kind.GRANTED_NEW,
                "A key that one open transaction holds was granted to another one",
                REPEATED,
                FIX_KEYS);
        require(
                whileHeld == Kind.IN_PROGRESS,
                "A row that one transaction has inserted and not committed was seen by another one",
                "A call that fails would have committed its key, and its repeats be answered as if it had succeeded.",
                FIX_POOLER + " The DataSource must let transactions switch auto-commit off.");
        connection.rollback();
        holder.rollback();
        requireGranted(key, "A claim of a key whose transaction was rolled back");
        require(
                lock(),
                "An advisory lock was not released at the end of its transaction",
                "It would stay held by a connection of the pool, and nobody else get it.",
                FIX_LOCKS);
    }

    private Kind claimHeldKey() {
        try {
            return claim(key, 15);
        } catch (DataAccessException failure) {
            require(
                    !(NestedExceptionUtils.getMostSpecificCause(failure) instanceof SocketTimeoutException),
                    "The server does not end a statement at statement_timeout",
                    "Repeats would wait without an end for calls that hold their key, each with a connection.",
                    "Use PostgreSQL itself, or let a pooler in between pass set_config('statement_timeout', ...) on.");
            throw failure;
        }
    }

    private void requireGranted(UUID claimed, String claim) {
        Kind result = claim(claimed, 2_000);
        require(
                result == Kind.GRANTED_NEW,
                claim + " was not granted (" + result + ")",
                "Calls would be refused, or be answered as if they had succeeded.",
                "If something locks the table idempotency_request, such as a VACUUM FULL, start the application again"
                        + " afterwards. " + FIX_POOLER + " Otherwise use PostgreSQL itself.");
    }

    private void require(boolean holds, String problem, String consequence, String action) {
        EngineVerifier.require(
                holds, problem + ", when this was tried in schema '" + schema.name() + "'. " + consequence, action);
    }

    /** If an engine commits in spite of everything, the purge deletes the row after a minute. */
    private Kind claim(UUID claimed, int waitMillis) {
        ClaimRequest request =
                ClaimRequest.completeAtOnce(requestKey(claimed), Duration.ofMinutes(1), Duration.ofMillis(waitMillis));
        return store().claim(connection, request).kind();
    }

    private static RequestKey requestKey(UUID claimed) {
        Intent intent = new Intent("idempotency.verify", "", new IdempotencyKey(claimed.toString()));
        return RequestKey.of(intent, new Fingerprint(1, new byte[32]));
    }

    private PostgresClaimStore store() {
        return new PostgresClaimStore(schema, "verification of the engine", null);
    }

    private boolean lock() {
        return new PostgresLockStore().tryTake(connection, key.getLeastSignificantBits());
    }
}
