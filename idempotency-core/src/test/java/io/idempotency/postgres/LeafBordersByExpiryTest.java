package io.idempotency.postgres;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.retention.LeafLength;

import static org.assertj.core.api.Assertions.assertThat;

/** However far the borders are apart, one transaction never makes many partitions. */
class LeafBordersByExpiryTest {

    private static final OffsetDateTime NOW = OffsetDateTime.of(2026, 11, 22, 12, 0, 0, 0, ZoneOffset.UTC);

    private static final OffsetDateTime TODAY = LeafLength.DAY.startOf(NOW);

    @ParameterizedTest
    @ValueSource(ints = {1, 40, 41, 100, 7300})
    void whatExpiresInManyDays(int days) {
        LeafBordersByExpiry borders = new LeafBordersByExpiry(
                LeafLength.DAY,
                LeafBordersByExpiry.AHEAD,
                NOW,
                TODAY.plusDays(1),
                NOW.plusDays(days),
                NOW.plusDays(days),
                null);

        assertThat(borders.missing())
                .hasSizeLessThanOrEqualTo(1 + 50)
                .doesNotHaveDuplicates()
                .isSorted()
                .startsWith(TODAY.plusDays(1).toString())
                .contains(
                        TODAY.plusDays(days).toString(),
                        TODAY.plusDays(days + 1).toString())
                .endsWith(TODAY.plusDays(days + 8).toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 40, 41, 100, 7300})
    void nobodyWasThereForManyDays(int days) {
        LeafBordersByExpiry borders = new LeafBordersByExpiry(
                LeafLength.DAY, LeafBordersByExpiry.AHEAD, NOW, TODAY.minusDays(days), null, null, null);

        assertThat(borders.missing())
                .hasSizeLessThanOrEqualTo(1 + 50)
                .doesNotHaveDuplicates()
                .isSorted()
                .startsWith(TODAY.minusDays(days).toString())
                .endsWith(TODAY.plusDays(8).toString());
    }

    @Test
    void nobodyWasThereForYearsAndSomethingHadExpiredLongBefore() {
        LeafBordersByExpiry borders = new LeafBordersByExpiry(
                LeafLength.DAY,
                LeafBordersByExpiry.AHEAD,
                NOW,
                TODAY.minusYears(20),
                NOW.minusYears(10),
                NOW.minusYears(9),
                null);

        assertThat(borders.missing())
                .hasSize(1 + 50)
                .isSorted()
                .endsWith(TODAY.plusDays(8).toString());
    }

    @Test
    void nothingIsMissing() {
        assertThat(new LeafBordersByExpiry(
                                LeafLength.DAY, LeafBordersByExpiry.AHEAD, NOW, TODAY.plusDays(8), null, null, null)
                        .missing())
                .isEqualTo(List.of());
    }

    @Test
    void whoeverGoesBackMakesNoneThatAreEmpty() {
        assertThat(new LeafBordersByExpiry(LeafLength.DAY, 0, NOW, TODAY, null, null, NOW.plusDays(5)).missing())
                .isEmpty();
        assertThat(new LeafBordersByExpiry(LeafLength.DAY, 0, NOW, null, null, null, null).missing())
                .isEmpty();
        assertThat(new LeafBordersByExpiry(LeafLength.DAY, 0, NOW, TODAY, NOW.plusDays(2), NOW.plusDays(2), null)
                        .missing())
                .containsExactly(
                        TODAY.toString(),
                        TODAY.plusDays(1).toString(),
                        TODAY.plusDays(2).toString(),
                        TODAY.plusDays(3).toString());
    }
}
