package io.idempotency.internal.postgres.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.SqlTypeValue;
import org.springframework.jdbc.core.StatementCreatorUtils;

import io.idempotency.Intent;

/** A binder of parameters, in the order of their placeholders. */
public final class StatementParameters {

    private final PreparedStatement statement;

    private int index;

    public StatementParameters(PreparedStatement statement) {
        this.statement = statement;
    }

    /** Binds a text. */
    public void string(@Nullable String value) throws SQLException {
        statement.setString(++index, value);
    }

    /** Binds the bound of a wait in milliseconds. */
    public void bound(WaitBound value) throws SQLException {
        statement.setLong(++index, value.milliseconds());
    }

    /** Binds an integer. */
    public void integer(int value) throws SQLException {
        statement.setInt(++index, value);
    }

    /** Binds a bigint. */
    public void bigint(long value) throws SQLException {
        statement.setLong(++index, value);
    }

    /** Binds a smallint. */
    public void smallint(@Nullable Integer value) throws SQLException {
        statement.setObject(++index, value, Types.SMALLINT);
    }

    /** Binds a bytea. */
    public void bytes(byte @Nullable [] value) throws SQLException {
        statement.setBytes(++index, value);
    }

    /**
     * Binds a uuid. A value is bound without a type, because only then the driver sends its sixteen bytes and not its text.
     */
    public void uuid(@Nullable UUID value) throws SQLException {
        if (value == null) {
            statement.setNull(++index, Types.OTHER);
        } else {
            statement.setObject(++index, value);
        }
    }

    /** Binds JSON. */
    public void json(@Nullable String value) throws SQLException {
        statement.setObject(++index, value, Types.OTHER);
    }

    /** Binds a duration in milliseconds. */
    public void duration(@Nullable Duration value) throws SQLException {
        statement.setObject(++index, value == null ? null : value.toMillis(), Types.BIGINT);
    }

    /** Binds a timestamptz. */
    public void time(@Nullable OffsetDateTime value) throws SQLException {
        statement.setObject(++index, value, Types.TIMESTAMP_WITH_TIMEZONE);
    }

    /** Binds values of an application, as Spring's JDBC does: the elements of a collection each have a placeholder. */
    public void values(List<? extends @Nullable Object> values) throws SQLException {
        for (Object value : values) {
            for (Object each : value instanceof Iterable<?> elements ? elements : Collections.singleton(value)) {
                StatementCreatorUtils.setParameterValue(statement, ++index, SqlTypeValue.TYPE_UNKNOWN, each);
            }
        }
    }

    /**
     * Binds an array of texts.
     *
     * @param values the elements; {@code null} binds null
     */
    public void texts(@Nullable Collection<String> values) throws SQLException {
        if (values == null) {
            statement.setNull(++index, Types.ARRAY);
        } else {
            array("text", values.toArray(String[]::new));
        }
    }

    /** Binds an array. */
    public void array(String type, @Nullable Object[] values) throws SQLException {
        statement.setArray(++index, statement.getConnection().createArrayOf(type, values));
    }

    /**
     * Binds scope, caller and key: three parameters.
     *
     * @param value the intent; {@code null} binds three nulls
     */
    public void intent(@Nullable Intent value) throws SQLException {
        string(value == null ? null : value.scope());
        string(value == null ? null : value.caller());
        string(value == null ? null : value.key().value());
    }
}
