package io.idempotency.internal.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.codec.Fingerprint;

/** Binds parameters in the order in which the statements name them. */
final class StatementParameters {

    private final PreparedStatement statement;

    private int index;

    StatementParameters(PreparedStatement statement) {
        this.statement = statement;
    }

    void string(@Nullable String value) throws SQLException {
        statement.setString(++index, value);
    }

    void bound(WaitBound value) throws SQLException {
        statement.setLong(++index, value.milliseconds());
    }

    void integer(int value) throws SQLException {
        statement.setInt(++index, value);
    }

    /** Without a type for what is there, because only then the driver sends sixteen bytes and not their text. */
    void uuid(@Nullable UUID value) throws SQLException {
        if (value == null) {
            statement.setNull(++index, Types.OTHER);
        } else {
            statement.setObject(++index, value);
        }
    }

    void json(@Nullable String value) throws SQLException {
        statement.setObject(++index, value, Types.OTHER);
    }

    void duration(@Nullable Duration value) throws SQLException {
        statement.setObject(++index, value == null ? null : value.toMillis(), Types.BIGINT);
    }

    void time(@Nullable OffsetDateTime value) throws SQLException {
        statement.setObject(++index, value, Types.TIMESTAMP_WITH_TIMEZONE);
    }

    void array(String type, Collection<?> values) throws SQLException {
        array(type, values.toArray());
    }

    void array(String type, @Nullable Object[] values) throws SQLException {
        statement.setArray(++index, statement.getConnection().createArrayOf(type, values));
    }

    void intent(Intent value) throws SQLException {
        string(value.scope());
        string(value.caller());
        string(value.key().value());
    }

    void fingerprint(Fingerprint value) throws SQLException {
        statement.setBytes(++index, value.hash());
        integer(value.version());
    }

    void failure(Failure value) throws SQLException {
        string(StatusColumn.textOf(value.isFinal() ? RequestStatus.FAILED_FINAL : RequestStatus.FAILED_RETRYABLE));
        string(value.code());
        string(value.message());
    }

    void fence(Fence value) throws SQLException {
        uuid(value.requestId());
        integer(value.attempt());
        uuid(value.token());
    }
}
