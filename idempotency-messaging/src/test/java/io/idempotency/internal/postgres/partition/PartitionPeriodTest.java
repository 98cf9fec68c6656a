package io.idempotency.internal.postgres.partition;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PartitionPeriodTest {

    private static final Map<String, PartitionPeriod> LENGTHS = Map.of(
            "day",
            PartitionPeriod.DAY,
            "week",
            PartitionPeriod.WEEK,
            "month",
            PartitionPeriod.MONTH,
            "hour",
            PartitionPeriod.of(Duration.ofHours(1)));

    @ParameterizedTest
    @CsvSource({
        "day,   2026-11-22T10:50:19Z,      2026-11-22T00:00Z, 2026-11-23T00:00Z",
        "day,   2026-11-22T00:00:00Z,      2026-11-22T00:00Z, 2026-11-23T00:00Z",
        "day,   2026-11-22T00:30:00+02:00, 2026-11-21T00:00Z, 2026-11-22T00:00Z",
        "week,  2026-11-22T23:59:59Z,      2026-11-16T00:00Z, 2026-11-23T00:00Z",
        "week,  2026-11-23T00:00:00Z,      2026-11-23T00:00Z, 2026-11-30T00:00Z",
        "week,  2027-01-01T00:00:00Z,      2026-12-28T00:00Z, 2027-01-04T00:00Z",
        "month, 2028-02-29T12:00:00Z,      2028-02-01T00:00Z, 2028-03-01T00:00Z",
        "month, 2026-12-31T23:00:00-05:00, 2027-01-01T00:00Z, 2027-02-01T00:00Z",
        "hour,  2026-11-22T10:50:19Z,      2026-11-22T10:00Z, 2026-11-22T11:00Z",
        "hour,  1969-12-31T23:30:00Z,      1969-12-31T23:00Z, 1970-01-01T00:00Z"
    })
    void boundsAreInUtc(String length, OffsetDateTime time, OffsetDateTime start, OffsetDateTime end) {
        assertThat(LENGTHS.get(length).startOf(time)).isEqualTo(start);
        assertThat(LENGTHS.get(length).endOf(time)).isEqualTo(end);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.5S", "PT1.5S"})
    void isOfWholeSeconds(Duration length) {
        assertThatThrownBy(() -> PartitionPeriod.of(length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(length.toString());
    }

    @Test
    void endsWhereTheNextOneBegins() {
        OffsetDateTime time = OffsetDateTime.parse("2026-01-31T08:00:00Z");
        for (int month = 2; month <= 12; month++) {
            time = PartitionPeriod.MONTH.endOf(time);
            assertThat(time.getMonthValue()).isEqualTo(month);
            assertThat(PartitionPeriod.MONTH.startOf(time)).isEqualTo(time);
        }
    }
}
