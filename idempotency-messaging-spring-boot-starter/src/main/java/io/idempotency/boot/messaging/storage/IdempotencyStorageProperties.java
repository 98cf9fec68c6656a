package io.idempotency.boot.messaging.storage;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.StringUtils;

import io.idempotency.internal.postgres.partition.PartitionPeriod;

import static io.idempotency.boot.PropertyChecks.requireAtMostAYear;

/**
 * Settings of the partitions of tables.
 *
 * @param processedMessages Storage of handled messages: rows that are deleted one by one, or partitions of a day, a
 *     week or a month that are dropped as a whole. A table that holds rows is not partitioned automatically.
 * @param maintenance Whether this instance adds and removes partitions.
 * @param maintenanceInterval Time between two runs of the maintenance.
 * @param maintenanceRole Role to maintain partitions with, if the application's role is not the owner of the tables.
 *     The application's role must be a member of it.
 */
@ConfigurationProperties("idempotency.storage")
public record IdempotencyStorageProperties(
        @DefaultValue("rows") Partitioning processedMessages,
        @DefaultValue("true") boolean maintenance,
        @DefaultValue("1m") Duration maintenanceInterval,
        @Nullable String maintenanceRole) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the interval is out of range
     */
    public IdempotencyStorageProperties {
        requireAtMostAYear("idempotency.storage.maintenance-interval", maintenanceInterval);
        maintenanceRole = StringUtils.hasText(maintenanceRole) ? maintenanceRole : null;
    }

    /** The partitioning of a table. */
    public enum Partitioning {

        /** No partitions: expired rows are deleted. */
        ROWS,

        /** Partitions of a day, in UTC. */
        DAY,

        /** Partitions of a week from Monday, in UTC. */
        WEEK,

        /** Partitions of a month, in UTC. */
        MONTH;

        /**
         * Returns the period of a partition.
         *
         * @return the period; empty if there are no partitions
         */
        public Optional<PartitionPeriod> period() {
            return switch (this) {
                case ROWS -> Optional.empty();
                case DAY -> Optional.of(PartitionPeriod.DAY);
                case WEEK -> Optional.of(PartitionPeriod.WEEK);
                case MONTH -> Optional.of(PartitionPeriod.MONTH);
            };
        }
    }
}
