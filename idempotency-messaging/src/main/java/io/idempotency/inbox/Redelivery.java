package io.idempotency.inbox;

import java.sql.SQLException;
import java.util.Set;

import io.idempotency.ArgumentNotStorableException;
import io.idempotency.ClaimAbandonedException;
import io.idempotency.ExpressionFailedException;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.KeyReusedException;
import io.idempotency.MissingCallerException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.RecordedFailureException;
import io.idempotency.ReentrantCallException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.StepsChangedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.outbox.DeduplicationKeyReusedException;

/**
 * A classification of receivers' failures: after some, another delivery may succeed after a pause; after others, every
 * delivery fails again, so the message belongs on a dead letter channel without further deliveries.
 *
 * <p>A redelivery is not worthwhile after a refusal that depends only on the message or the code: a missing or
 * malformed id, another message with the same id, a recorded final failure, or a reused key. The same holds for
 * SQLSTATEs of class 22 (data exception), 23502 (not null) and 23514 (check). After every other failure it is
 * worthwhile. This includes unknown failures, because they are more often an outage than a mistake.
 *
 * @see <a href="https://www.enterpriseintegrationpatterns.com/patterns/messaging/DeadLetterChannel.html">Dead Letter
 *     Channel</a>
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>
 */
public final class Redelivery {

    private static final Set<Class<? extends Exception>> REFUSED_EVERY_TIME = Set.of(
            ArgumentNotStorableException.class,
            ClaimAbandonedException.class,
            DeduplicationKeyReusedException.class,
            ExpressionFailedException.class,
            InvalidIdempotencyKeyException.class,
            InvalidIdempotentMethodException.class,
            KeyReusedException.class,
            MessageConflictException.class,
            MissingCallerException.class,
            MissingIdempotencyKeyException.class,
            PayloadNotFingerprintableException.class,
            RecordedFailureException.class,
            ReentrantCallException.class,
            ResponseExpiredException.class,
            ResponseNotStorableException.class,
            StepsChangedException.class,
            TransactionMismatchException.class,
            UnreadableResponseException.class);

    private static final String DATA_EXCEPTION = "22";

    /**
     * not_null_violation and check_violation. Other constraints depend on other rows, which may change before the next
     * delivery.
     */
    private static final Set<String> DATA_NOT_ALLOWED = Set.of("23502", "23514");

    private static final int DEEPEST_CAUSE = 50;

    private Redelivery() {}

    /**
     * Returns whether another delivery of a message may succeed after a failure.
     *
     * @param failure exception of the receiver, which a listener container may have wrapped
     * @return {@code false} if every delivery will fail again
     */
    public static boolean isWorthwhile(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            if (REFUSED_EVERY_TIME.contains(cause.getClass()) || isBadData(cause)) {
                return false;
            }
            cause = cause.getCause();
        }
        return true;
    }

    private static boolean isBadData(Throwable cause) {
        return cause instanceof SQLException sqlException
                && sqlException.getSQLState() != null
                && (sqlException.getSQLState().startsWith(DATA_EXCEPTION)
                        || DATA_NOT_ALLOWED.contains(sqlException.getSQLState()));
    }
}
