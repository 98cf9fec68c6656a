package io.idempotency.internal.postgres.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.messaging.PartitionSample;

/** The query for the state of the partitions, with problems that an operator has to solve. */
final class PartitionStatistics {

    private final String state;

    PartitionStatistics(Schema schema) {
        this.state = schema.resolve(PartitionSql.FIND_STATE);
    }

    List<PartitionSample> find(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(state)
                .query((row, number) -> new PartitionSample(
                        MessagePartitions.TABLE,
                        row.getInt("partitions"),
                        row.getInt("ahead"),
                        Duration.ofMillis(Math.max(0, row.getLong("overdue"))),
                        row.getBoolean("detach_pending"),
                        problems(row.getBoolean("clock_back"), row.getString("remaining"), row.getString("unread"))))
                .list();
    }

    private static List<String> problems(boolean isClockBack, @Nullable String remaining, @Nullable String unread) {
        List<String> problems = new ArrayList<>();
        if (isClockBack) {
            problems.add("the open partition begins in the future, because the clock was set back: no partition"
                    + " is closed or removed until then");
        }
        if (remaining != null) {
            problems.add(remaining
                    + " should have been removed an hour ago: the log of the instance that maintains partitions"
                    + " says why it was not, unless a transaction has been open since before its end");
        }
        if (unread != null) {
            problems.add(unread
                    + " was closed more than an hour ago, and it is still not known when its last message expires, so that it is"
                    + " not removed: the log of the instance that maintains partitions says why");
        }
        return problems;
    }
}
