package io.idempotency.internal.inbox;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;

import io.idempotency.Outcome;
import io.idempotency.inbox.ConflictPolicy;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.TransactionalAttempt;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Failure;

import static java.util.Objects.requireNonNull;

/**
 * An attempt to handle a message. It claims the message in the inbox, which stores with the claim that the message is handled. No result
 * is stored, so that the inbox result is the answer of a delivery that does not run the method.
 */
final class InboxAttempt extends TransactionalAttempt {

    private final InboxStore store;

    private final InboxMessage message;

    private final ConflictPolicy onConflict;

    private @Nullable InboxResult found;

    private @Nullable InboxAttempt handledBy;

    InboxAttempt(CallExecution execution, InboxStore store, InboxMessage message, ConflictPolicy onConflict) {
        super(execution);
        this.store = store;
        this.message = message;
        this.onConflict = onConflict;
    }

    /**
     * Returns the result of the claim, or of the claim of the earlier attempt that has handled the message; {@code null} if the claim was
     * not answered.
     */
    @Nullable InboxResult found() {
        return found;
    }

    @Override
    public ClaimResult claim(Connection connection, ClaimRequest request) {
        InboxResult result = store.claim(connection, message, request.waitLimit());
        handledBy = result.kind() == InboxResult.Kind.DUPLICATE ? findHandledBy(connection) : null;
        found = handledBy == null ? result : handledBy.found;
        return switch (result.kind()) {
            case NEW ->
                ClaimResult.granted(result.attempt() == 1 ? Kind.GRANTED_NEW : Kind.GRANTED_RETRY, result.attempt());
            case IN_PROGRESS -> ClaimResult.inProgress(requireNonNull(result.waitEnded()));
            case DUPLICATE, LATE, CONFLICT, GAP -> ClaimResult.of(Kind.NOT_GRANTED);
        };
    }

    /** Finds the earlier attempt of this delivery that has committed, though its COMMIT was not answered. */
    private @Nullable InboxAttempt findHandledBy(Connection connection) {
        return execution().lastGranted() instanceof InboxAttempt earlier
                        && earlier.found != null
                        && earlier.found.claim() != null
                        && store.isCommitted(connection, message, earlier.found.claim())
                ? earlier
                : null;
    }

    @Override
    public @Nullable Object answer(ClaimResult claim, boolean mayRetryInNewTransaction) throws Exception {
        return switch (requireNonNull(found).kind()) {
            case NEW -> skip(requireNonNull(handledBy).result());
            case DUPLICATE, LATE -> skip(null);
            case CONFLICT -> {
                if (onConflict == ConflictPolicy.SKIP) {
                    yield skip(null);
                }
                throw new MessageConflictException(call().intent());
            }
            case GAP -> throw gap(requireNonNull(message.position()), found.expectedVersion());
            case IN_PROGRESS -> super.answer(claim, mayRetryInNewTransaction);
        };
    }

    private @Nullable Object skip(@Nullable Object result) {
        setOutcome(Outcome.REPLAYED);
        return result;
    }

    private MessageGapException gap(StreamPosition position, long expectedVersion) {
        return new MessageGapException(call().intent(), position.stream(), expectedVersion, position.version());
    }

    /** Returns false: the store of requests has no row of a message. */
    @Override
    protected boolean hasStoredAnswer() {
        return false;
    }

    /** Returns true, so that operators always see messages that keep failing. */
    @Override
    public boolean recordsEveryFailure() {
        return true;
    }

    @Override
    public boolean recordFailure(Connection connection, int number, Failure failure) {
        return store.recordFailure(connection, message, failure);
    }
}
