package io.idempotency.internal.inbox;

import java.sql.Connection;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.inbox.ConflictPolicy;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.KeyClaimer;
import io.idempotency.internal.response.ResponseMapper;

/** Claims the key of one delivery in the inbox: a duplicate is a call that has succeeded without a response. */
final class InboxKeyClaimer implements KeyClaimer {

    private final InboxStore store;

    private final InboxMessage message;

    private final ConflictPolicy onConflict;

    private final Consumer<InboxResult> onResult;

    private @Nullable InboxResult granted;

    private boolean handledHere;

    InboxKeyClaimer(InboxStore store, InboxMessage message, ConflictPolicy onConflict, Consumer<InboxResult> onResult) {
        this.store = store;
        this.message = message;
        this.onConflict = onConflict;
        this.onResult = onResult;
    }

    @Override
    public ClaimResult claim(Connection connection, ClaimRequest request) {
        InboxResult result = store.claim(connection, message, request.waitLimit());
        InboxResult earlier = granted;
        if (earlier != null && isHandledBy(earlier, result, connection)) {
            handledHere = true;
            onResult.accept(earlier);
        } else {
            onResult.accept(result);
        }
        if (result.kind() == InboxResult.Kind.NEW) {
            granted = result;
        }
        return switch (result.kind()) {
            case NEW -> granted(result.failedBefore());
            case DUPLICATE, LATE -> ClaimResult.succeeded(ResponseMapper.NULL_BODY);
            case CONFLICT ->
                onConflict == ConflictPolicy.SKIP
                        ? ClaimResult.succeeded(ResponseMapper.NULL_BODY)
                        : ClaimResult.refused(new MessageConflictException(request.intent()));
            case GAP -> ClaimResult.refused(gap(request.intent(), result.expectedVersion()));
            case IN_PROGRESS -> ClaimResult.inProgress(Objects.requireNonNull(result.waitEnded()));
        };
    }

    private boolean isHandledBy(InboxResult earlier, InboxResult found, Connection connection) {
        return found.kind() == InboxResult.Kind.DUPLICATE
                && store.isCommitted(connection, message, Objects.requireNonNull(earlier.claim()));
    }

    private static ClaimResult granted(int failedBefore) {
        return ClaimResult.granted(failedBefore == 0 ? Kind.GRANTED_NEW : Kind.GRANTED_RETRY, failedBefore + 1);
    }

    private MessageGapException gap(Intent intent, long expectedVersion) {
        StreamPosition position = Objects.requireNonNull(message.position());
        return new MessageGapException(intent, position.stream(), expectedVersion, position.version());
    }

    @Override
    public boolean isHandledByEarlierAttempt() {
        return handledHere;
    }

    /** Does nothing: the claim has stored that the message is handled. */
    @Override
    public boolean complete(Connection connection, Completion completion) {
        return true;
    }

    @Override
    public boolean recordFailure(Connection connection, FailureRecord record) {
        return store.recordFailure(connection, message, record.failure());
    }

    /** Returns true, so that operators always see messages that keep failing. */
    @Override
    public boolean recordsEveryFailure() {
        return true;
    }
}
