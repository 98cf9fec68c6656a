package io.idempotency.internal.postgres.messaging;

import java.util.List;
import javax.sql.DataSource;

import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.retention.Sampler;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.PartitionSample;

/** Gives samples of the partitions of handled messages to a listener, if there are any. */
final class PartitionSampler implements Sampler {

    private final MessagePartitions partitions;

    private final BoundedTransaction transaction;

    private final MessagingListener listener;

    PartitionSampler(Schema schema, DataSource dataSource, MessagingListener listener) {
        this.partitions = new MessagePartitions(schema);
        this.transaction = new BoundedTransaction(dataSource);
        this.listener = listener;
    }

    @Override
    public void sample() {
        List<PartitionSample> samples = transaction.query(
                jdbcClient -> partitions.exist(jdbcClient) ? partitions.findState(jdbcClient) : List.of());
        samples.forEach(listener::partitionsSampled);
    }
}
