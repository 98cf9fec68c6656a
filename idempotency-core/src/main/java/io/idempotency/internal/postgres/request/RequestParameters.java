package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/** The binding of values that take several parameters of a statement. */
final class RequestParameters {

    /** Long enough for a server that is loaded: after a shorter wait, effects that are made would be given up. */
    private static final Duration LONGEST_WAIT_OF_HOLDER = Duration.ofSeconds(30);

    private RequestParameters() {}

    /** Returns the bound of a statement of the holder of a lease, which waits for a transaction that takes the lease over. */
    static WaitBound boundOfHolder() {
        return WaitBound.remaining(LONGEST_WAIT_OF_HOLDER, System.nanoTime());
    }

    static void bindId(StatementParameters parameters, UUID id, String caller) throws SQLException {
        parameters.uuid(id);
        parameters.string(caller);
    }

    static void bindFingerprint(StatementParameters parameters, Fingerprint fingerprint) throws SQLException {
        parameters.bytes(fingerprint.hash());
        parameters.integer(fingerprint.version());
    }

    static RequestStatus statusOf(Failure failure) {
        return failure.isFinal() ? RequestStatus.FAILED_FINAL : RequestStatus.FAILED_RETRYABLE;
    }

    static void bindFailure(StatementParameters parameters, RequestStatus status, Failure failure) throws SQLException {
        parameters.string(StatusColumn.textOf(status));
        parameters.string(failure.code());
        parameters.string(failure.message());
    }

    /** Binds the parameters by which {@link ResumptionScheduler} finds the message of a claim. */
    static void bindMessage(StatementParameters parameters, Fence fence) throws SQLException {
        parameters.uuid(fence.requestId());
        parameters.uuid(fence.token());
    }

    static void bindFence(StatementParameters parameters, Fence fence) throws SQLException {
        bindId(parameters, fence.requestId(), fence.caller());
        parameters.integer(fence.attempt());
        parameters.uuid(fence.token());
    }
}
