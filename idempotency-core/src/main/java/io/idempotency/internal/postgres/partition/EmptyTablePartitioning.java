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

import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.retention.PartitionPeriod;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/** Puts handled messages in partitions if the table is empty. */
final class EmptyTablePartitioning {

    private static final Logger logger = LoggerFactory.getLogger(EmptyTablePartitioning.class);

    /** A lock was not available. */
    private static final Set<String> IN_USE = Set.of("55P03", "40P01");

    /** A row was inserted meanwhile, or the table would lose something that others have created for it. */
    private static final String NOT_AS_IT_IS = "55000";

    private final Schema schema;

    private final RequiresNewTransaction transaction;

    EmptyTablePartitioning(Schema schema, DataSource owner) {
        this.schema = schema;
        this.transaction = RequiresNewTransaction.on(owner);
    }

    /** Returns whether the table is in partitions now. */
    boolean partition(PartitionPeriod period) {
        try {
            return transaction.call(Clients.withClient(jdbcClient -> {
                // One instance after the other: two that have both read the table would deadlock.
                jdbcClient.sql(Clients.READ_COMMITTED).update();
                jdbcClient.sql(Schema.LOCK).query().singleValue();
                jdbcClient.sql(PartitionSql.BOUND_LOCK_WAIT).update();
                return new MessagePartitions(schema).exist(jdbcClient) || partition(jdbcClient, period);
            }));
        } catch (DataAccessException failure) {
            if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof SQLException cause) {
                if (IN_USE.contains(cause.getSQLState())) {
                    return false;
                }
                if (NOT_AS_IT_IS.equals(cause.getSQLState())) {
                    logger.warn("The table {} was not put in partitions: {}", MessagePartitions.TABLE, reasonOf(cause));
                    return false;
                }
            }
            throw failure;
        }
    }

    /** Returns the message and the hint of PostgreSQL without the place in a function. The driver's own text would be translated. */
    private static String reasonOf(SQLException refusal) {
        if (refusal instanceof PSQLException refused && refused.getServerErrorMessage() != null) {
            ServerErrorMessage said = refused.getServerErrorMessage();
            return said.getHint() == null
                    ? "%s: %s".formatted(said.getSeverity(), said.getMessage())
                    : "%s: %s Hint: %s".formatted(said.getSeverity(), said.getMessage(), said.getHint());
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
