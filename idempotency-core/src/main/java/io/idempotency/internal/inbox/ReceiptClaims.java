package io.idempotency.internal.inbox;

import java.sql.Connection;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.idempotency.ConflictPolicy;
import io.idempotency.Intent;
import io.idempotency.MessageConflictException;
import io.idempotency.MessageGapException;
import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Claims;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.codec.ResponseMapper;
import io.idempotency.internal.operation.StreamPosition;

/** Lets one delivery of a message be a call whose key is claimed in the inbox: a duplicate is a call without a response. */
final class ReceiptClaims implements Claims {

    private final InboxStore store;

    private final Receipt receipt;

    private final ConflictPolicy onConflict;

    private final Consumer<Reception> met;

    private @Nullable Reception granted;

    private boolean handledHere;

    /**
     * Claims one message.
     *
     * @param store where it is kept what was handled
     * @param receipt of the delivery
     * @param onConflict what to do with another payload
     * @param met learns what the delivery met, of each of its executions
     */
    ReceiptClaims(InboxStore store, Receipt receipt, ConflictPolicy onConflict, Consumer<Reception> met) {
        this.store = store;
        this.receipt = receipt;
        this.onConflict = onConflict;
        this.met = met;
    }

    @Override
    public Claim claim(Connection connection, ClaimRequest request) {
        Reception reception = store.receive(connection, receipt, request.waitLimit());
        Reception earlier = granted;
        if (earlier != null && isHandledBy(earlier, reception, connection)) {
            handledHere = true;
            met.accept(earlier);
        } else {
            met.accept(reception);
        }
        if (reception.kind() == Reception.Kind.NEW) {
            granted = reception;
        }
        return switch (reception.kind()) {
            case NEW -> granted(reception.failedBefore());
            case DUPLICATE, LATE -> new Claim.Succeeded(ResponseMapper.NULL_BODY);
            case CONFLICT ->
                onConflict == ConflictPolicy.SKIP
                        ? new Claim.Succeeded(ResponseMapper.NULL_BODY)
                        : new Claim.Refused(new MessageConflictException(request.intent()));
            case GAP -> new Claim.Refused(gap(request.intent(), reception.expectedVersion()));
            case IN_PROGRESS -> new Claim.InProgress(Objects.requireNonNull(reception.waitEnded()));
        };
    }

    private boolean isHandledBy(Reception earlier, Reception found, Connection connection) {
        return found.kind() == Reception.Kind.DUPLICATE
                && store.isHandledBy(connection, receipt, Objects.requireNonNull(earlier.transactionId()));
    }

    private static Claim granted(int failedBefore) {
        return new Claim.Granted(
                failedBefore + 1, failedBefore == 0 ? Claim.Granted.Origin.NEW : Claim.Granted.Origin.FAILED_ATTEMPT);
    }

    private MessageGapException gap(Intent intent, long expectedVersion) {
        StreamPosition position = Objects.requireNonNull(receipt.position());
        return new MessageGapException(intent, position.stream(), expectedVersion, position.version());
    }

    @Override
    public boolean isHandledByEarlierAttempt() {
        return handledHere;
    }

    /** Nothing is stored for a message but that it was handled, which is written with its claim. */
    @Override
    public boolean complete(Connection connection, Completion completion) {
        return true;
    }

    @Override
    public boolean recordFailure(Connection connection, FailureRecord failed) {
        return store.recordFailure(
                connection, receipt, failed.failure().code(), failed.failure().message());
    }

    /** Messages that keep failing are to be seen always. */
    @Override
    public boolean recordsEveryFailure() {
        return true;
    }
}
