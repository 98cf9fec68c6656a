package io.idempotency.internal.postgres.partition;

import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;

import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.TransactionLimits;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/** The partitioning of the table of handled messages if it is empty. */
final class EmptyTablePartitioning {

    private static final Logger logger = LoggerFactory.getLogger(EmptyTablePartitioning.class);

    /** A lock was not available, or there was a deadlock. */
    private static final Set<String> IN_USE = Set.of("55P03", "40P01");

    /** A row was inserted in the meantime, or the table would lose an object that others have created for it. */
    private static final String OBJECT_NOT_IN_PREREQUISITE_STATE = "55000";

    private final Schema schema;

    private final RequiresNewTransaction transaction;

    EmptyTablePartitioning(Schema schema, DataSource owner) {
        this.schema = schema;
        this.transaction = RequiresNewTransaction.on(owner);
    }

    /** Partitions the table if it is empty. Returns whether it is partitioned now. */
    boolean partition(PartitionPeriod period) {
        try {
            return transaction.call(connection -> {
                JdbcClient jdbcClient = TransactionLimits.begin(connection, TransactionLimits.OF_MIGRATIONS);
                // Instances take turns: two that have both read the table would deadlock.
                jdbcClient.sql(Schema.LOCK).query().singleRow();
                jdbcClient.sql(PartitionSql.BOUND_LOCK_WAIT).update();
                return new MessagePartitions(schema).exist(jdbcClient) || partition(jdbcClient, period);
            });
        } catch (DataAccessException failure) {
            if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof SQLException cause) {
                if (IN_USE.contains(cause.getSQLState())) {
                    return false;
                }
                if (OBJECT_NOT_IN_PREREQUISITE_STATE.equals(cause.getSQLState())) {
                    logger.warn("The table {} was not partitioned: {}", MessagePartitions.TABLE, reasonOf(cause));
                    return false;
                }
            }
            throw failure;
        }
    }

    /** Returns PostgreSQL's message and hint without the context. The driver's own text would be localized. */
    private static String reasonOf(SQLException refusal) {
        if (refusal instanceof PSQLException serverFailure && serverFailure.getServerErrorMessage() != null) {
            ServerErrorMessage error = serverFailure.getServerErrorMessage();
            return error.getHint() == null
                    ? "%s: %s".formatted(error.getSeverity(), error.getMessage())
                    : "%s: %s Hint: %s".formatted(error.getSeverity(), error.getMessage(), error.getHint());
        }
        return Objects.toString(refusal.getMessage(), refusal.getSQLState());
    }

    private boolean partition(JdbcClient jdbcClient, PartitionPeriod period) {
        if (jdbcClient
                .sql(schema.resolve(PartitionSql.HOLDS_ROWS))
                .query(Boolean.class)
                .single()) {
            return false;
        }
        OffsetDateTime now =
                jdbcClient.sql(PartitionSql.NOW).query(OffsetDateTime.class).single();
        jdbcClient
                .sql(schema.resolve(PartitionSql.PARTITION))
                .params(period.startOf(now), period.endOf(now))
                .query(Boolean.class)
                .single();
        return true;
    }
}
