package io.idempotency.internal.postgres.engine;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;

import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyStartupException;
import io.idempotency.Intent;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.lock.LockStore;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.lock.PostgresLockStore;
import io.idempotency.internal.postgres.request.PostgresClaimStore;

/** A trial of one key and one lock, by the statements of real calls, in transactions that are rolled back. */
final class ClaimTrial {

    private static final Duration PATIENT = Duration.ofSeconds(2);

    private static final Duration BRIEF = Duration.ofMillis(15);

    /** If an engine commits in spite of everything, the purge deletes the row soon. */
    private static final Duration RETENTION = Duration.ofMinutes(1);

    private static final int HASH_LENGTH = 32;

    private final Schema schema;

    private final ClaimStore claims;

    private final LockStore locks = new PostgresLockStore();

    private final UUID random = UUID.randomUUID();

    private final Intent intent = intentOf(random);

    ClaimTrial(Schema schema) {
        this.schema = schema;
        this.claims = new PostgresClaimStore(schema, "verification of the engine");
    }

    /** Takes the key and the lock, which the open transaction then holds. */
    void takeOn(RolledBackConnection holder) {
        requireGranted(claim(holder, PATIENT), "A claim of a new key");
        if (claim(holder, PATIENT).isGranted()) {
            throw refuse(
                    "A key was granted twice in one transaction",
                    "A call and its repeat would both take effect.",
                    "Remove triggers and rules from the table idempotency_request, or use PostgreSQL itself: this engine does"
                            + " not keep the key of a row unique.");
        }
        if (!lock(holder)) {
            throw refuse(
                    "An advisory lock that nobody holds was not granted",
                    "No relay would send messages, and no lock of the application be taken.",
                    "Use PostgreSQL itself: this engine has no advisory locks of transactions.");
        }
    }

    /** Tries to take both on another connection, while the first transaction is open and after its end. */
    void contestOn(RolledBackConnection other, RolledBackConnection holder) throws SQLException {
        if (lock(other)) {
            throw refuse(
                    "An advisory lock that one transaction holds was granted to another one",
                    "Two transactions would hold one lock, and two relays send the same messages.",
                    "Use PostgreSQL itself: the advisory locks of this engine lock nothing. If a pooler is between the"
                            + " application and the server, set its pool_mode to transaction or session.");
        }
        // The first claim of a connection is slow, and would be taken for one that waits.
        requireGranted(claim(other, intentOf(UUID.randomUUID()), PATIENT), "A claim of a new key");
        requireWait(claimOfHeldKey(other));
        other.rollBack();
        holder.rollBack();
        requireGranted(claim(other, PATIENT), "A claim of a key whose transaction was rolled back");
        if (!lock(other)) {
            throw refuse(
                    "An advisory lock was not released at the end of its transaction",
                    "It would stay held by a connection of the pool, and nobody else get it.",
                    "Use PostgreSQL itself: this engine has no advisory locks of transactions.");
        }
    }

    private ClaimResult claimOfHeldKey(RolledBackConnection other) {
        try {
            return claim(other, BRIEF);
        } catch (DataAccessException failure) {
            if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof SocketTimeoutException) {
                throw refuse(
                        "The server does not end a statement at statement_timeout",
                        "Repeats would wait without an end for calls that hold their key, each with a connection.",
                        "Use PostgreSQL itself, or let a pooler in between pass set_config('statement_timeout', ...) on.");
            }
            throw failure;
        }
    }

    private void requireWait(ClaimResult result) {
        if (result.isGranted()) {
            throw refuse(
                    "A key that one open transaction holds was granted to another one",
                    "A call and its repeat would both take effect.",
                    "Let all connections of the DataSource lead to one and the same PostgreSQL server, whose table"
                            + " idempotency_request has no triggers and rules. Another engine does not keep a key unique among open"
                            + " transactions.");
        }
        if (result.kind() != Kind.IN_PROGRESS) {
            throw refuse(
                    "A row that one transaction has inserted and not committed was seen by another one",
                    "A call that fails would have committed its key, and its repeats be answered as if it had succeeded.",
                    "If a pooler is between the application and the server, set its pool_mode to transaction or session. The"
                            + " DataSource must let transactions switch auto-commit off.");
        }
    }

    private void requireGranted(ClaimResult result, String claim) {
        if (result.kind() != Kind.GRANTED_NEW) {
            throw refuse(
                    claim + " was not granted (" + result.kind() + ")",
                    "Calls would be refused, or be answered as if they had succeeded.",
                    "If something locks the table idempotency_request, such as a VACUUM FULL, start the application again"
                            + " afterwards. If a pooler is between the application and the server, set its pool_mode to transaction or"
                            + " session. Otherwise use PostgreSQL itself.");
        }
    }

    private IdempotencyStartupException refuse(String problem, String consequence, String action) {
        return new IdempotencyStartupException(
                problem + ", when this was tried in schema '" + schema.name() + "'. " + consequence, action);
    }

    private static Intent intentOf(UUID key) {
        return new Intent("idempotency.verify", "", new IdempotencyKey(key.toString()));
    }

    private ClaimResult claim(RolledBackConnection on, Duration waitLimit) {
        return claim(on, intent, waitLimit);
    }

    private ClaimResult claim(RolledBackConnection on, Intent claimed, Duration waitLimit) {
        Fingerprint fingerprint = new Fingerprint(Fingerprinter.VERSION, new byte[HASH_LENGTH]);
        return claims.claim(
                on.connection(),
                new ClaimRequest(RequestKey.of(claimed, fingerprint), RETENTION, null, waitLimit, true, null));
    }

    private boolean lock(RolledBackConnection on) {
        return locks.tryTake(on.connection(), random.getLeastSignificantBits());
    }
}
