package io.idempotency.internal.postgres.maintenance;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.request.RequestSql;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.postgres.schema.TablePartitions;
import io.idempotency.internal.retention.StorageStatistics;

/** Statistics of the tables, from the catalog and from the ends of indexes. */
public final class PostgresStorageStatistics implements StorageStatistics {

    private static final String NO_OTHER = "null::timestamptz";

    private final String estimateRows;

    private final Map<String, String> oldestExpired;

    private final List<TablePartitions> partitions;

    private final String countUnfinished;

    private final BoundedTransaction transaction;

    /** Prepares the statements. */
    public PostgresStorageStatistics(Schema schema, DataSource dataSource, List<StorageFeature> features) {
        this.estimateRows = schema.resolve(MaintenanceSql.estimateRows(features));
        this.oldestExpired = new LinkedHashMap<>();
        features.stream()
                .flatMap(feature -> feature.tables().stream())
                .filter(StorageTable::expires)
                .forEach(table -> oldestExpired.put(table.name(), schema.resolve(findOldestExpired(table))));
        this.partitions = StorageFeature.partitions(features, schema);
        this.countUnfinished = schema.resolve(RequestSql.COUNT_UNFINISHED);
        this.transaction = new BoundedTransaction(dataSource);
    }

    private static String findOldestExpired(StorageTable table) {
        return MaintenanceSql.FIND_OLDEST_EXPIRED
                .replace("{table}", table.name())
                .replace("{condition}", Objects.requireNonNull(table.expiryCondition()))
                .replace(
                        "{other}",
                        table.equals(CoreFeatures.IDEMPOTENCY_REQUEST)
                                ? RequestSql.FIND_OLDEST_EXPIRED_RESPONSE
                                : NO_OTHER);
    }

    @Override
    public Sample sample(int mostUnfinished) {
        return transaction.query(jdbcClient -> {
            Map<String, Long> estimated = estimateRows(jdbcClient);
            Map<String, Duration> expired = oldestExpired(jdbcClient);
            return jdbcClient
                    .sql(countUnfinished)
                    .param(mostUnfinished)
                    .query((row, number) ->
                            new Sample(estimated, expired, row.getInt("stale_leases"), row.getInt("half_done")))
                    .single();
        });
    }

    private Map<String, Long> estimateRows(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(estimateRows)
                .query((row, number) -> Map.entry(row.getString("table_name"), row.getLong("estimated_rows")))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private Map<String, Duration> oldestExpired(JdbcClient jdbcClient) {
        Map<String, Duration> ages = new LinkedHashMap<>();
        partitions.stream()
                .filter(table -> table.exist(jdbcClient))
                .forEach(table -> ages.put(table.table(), table.findOldestExpired(jdbcClient)));
        oldestExpired.forEach((table, rows) -> ages.computeIfAbsent(
                table,
                name -> Duration.ofMillis(jdbcClient.sql(rows).query(Long.class).single())));
        return ages;
    }
}
