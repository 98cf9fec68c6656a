package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.postgres.jdbc.StatementParameters;

/** The binding of values that take several parameters of a statement. */
final class RequestParameters {

    private RequestParameters() {}

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

    static void bindArguments(StatementParameters parameters, @Nullable Lease lease) throws SQLException {
        parameters.texts(lease == null ? null : lease.arguments());
    }

    static void bindFence(StatementParameters parameters, Fence fence) throws SQLException {
        bindId(parameters, fence.requestId(), fence.caller());
        parameters.integer(fence.attempt());
        parameters.uuid(fence.token());
    }
}
