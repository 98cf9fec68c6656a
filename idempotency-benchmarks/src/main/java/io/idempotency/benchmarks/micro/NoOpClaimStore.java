package io.idempotency.benchmarks.micro;

import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.CompletingCommit;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.StoredRequest;

/** Grants every key but one at once, and keeps nothing. */
final class NoOpClaimStore implements ClaimStore {

    static final String KNOWN_KEY = "known";

    private static final Claim GRANTED = new Claim.Granted(1, Claim.Granted.Origin.NEW);

    private final Claim succeeded;

    NoOpClaimStore(String responseBody) {
        this.succeeded = new Claim.Succeeded(responseBody);
    }

    @Override
    public Claim claim(Connection connection, ClaimRequest request) {
        return request.intent().key().value().equals(KNOWN_KEY) ? succeeded : GRANTED;
    }

    @Override
    public boolean complete(Connection connection, Completion completion) {
        return true;
    }

    @Override
    public CompletingCommit completingCommit(Connection connection, Completion completion) {
        throw new UnsupportedOperationException("only with a PipelinedTransactionManager");
    }

    @Override
    public boolean recordFailure(Connection connection, FailureRecord failed) {
        return true;
    }

    @Override
    public boolean fail(Connection connection, Fence fence, Failure failure) {
        return true;
    }

    @Override
    public boolean extendLease(Connection connection, Fence fence, Duration duration) {
        return true;
    }

    @Override
    public Optional<StoredRequest> findSettled(Connection connection, UUID id) {
        return Optional.empty();
    }

    @Override
    public TransactionState transactionState(Connection connection) {
        return TransactionState.OPEN;
    }
}
