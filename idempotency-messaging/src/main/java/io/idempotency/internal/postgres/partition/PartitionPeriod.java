package io.idempotency.internal.postgres.partition;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.function.UnaryOperator;

/**
 * The length of a partition in time. Its bounds are in UTC. Safe for use by many threads.
 */
public final class PartitionPeriod {

    /** A day, from midnight to midnight. */
    public static final PartitionPeriod DAY =
            new PartitionPeriod(time -> time.truncatedTo(ChronoUnit.DAYS), start -> start.plusDays(1));

    /** A week of ISO 8601, from Monday to Monday. */
    public static final PartitionPeriod WEEK = new PartitionPeriod(
            time -> time.truncatedTo(ChronoUnit.DAYS).with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)),
            start -> start.plusWeeks(1));

    /** A month of the calendar. */
    public static final PartitionPeriod MONTH = new PartitionPeriod(
            time -> time.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1), start -> start.plusMonths(1));

    private final UnaryOperator<OffsetDateTime> startOf;

    private final UnaryOperator<OffsetDateTime> next;

    private PartitionPeriod(UnaryOperator<OffsetDateTime> startOf, UnaryOperator<OffsetDateTime> next) {
        this.startOf = startOf;
        this.next = next;
    }

    /**
     * Returns a period of a number of seconds, counted from 1970.
     *
     * @param length whole seconds, at least one
     * @throws IllegalArgumentException if the length is shorter, or not in whole seconds
     */
    public static PartitionPeriod of(Duration length) {
        if (length.compareTo(Duration.ofSeconds(1)) < 0 || !length.equals(Duration.ofSeconds(length.toSeconds()))) {
            throw new IllegalArgumentException("A partition is for whole seconds, at least one, not for " + length);
        }
        long seconds = length.toSeconds();
        return new PartitionPeriod(
                time -> Instant.ofEpochSecond(Math.floorDiv(time.toEpochSecond(), seconds) * seconds)
                        .atOffset(ZoneOffset.UTC),
                start -> start.plus(length));
    }

    /**
     * Returns the beginning of the partition that a moment belongs to.
     *
     * @return a bound, not after that moment
     */
    public OffsetDateTime startOf(OffsetDateTime time) {
        return startOf.apply(time.withOffsetSameInstant(ZoneOffset.UTC));
    }

    /** Returns the end of the partition that a moment belongs to. */
    public OffsetDateTime endOf(OffsetDateTime time) {
        return next.apply(startOf(time));
    }
}
