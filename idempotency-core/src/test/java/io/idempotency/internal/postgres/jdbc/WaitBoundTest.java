package io.idempotency.internal.postgres.jdbc;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class WaitBoundTest {

    private static final SQLException CANCELED = new SQLException("canceling statement", "57014");

    @Test
    void isWhatIsLeftOfTheWholeWait() {
        long aSecondAgo = System.nanoTime() - Duration.ofSeconds(1).toNanos();

        assertThat(WaitBound.remaining(Duration.ofSeconds(5), aSecondAgo).milliseconds())
                .isBetween(3_000L, 4_000L);
    }

    @Test
    void isNeverZeroBecauseThatWouldBeNoBound() {
        long aSecondAgo = System.nanoTime() - Duration.ofSeconds(1).toNanos();

        assertThat(WaitBound.remaining(Duration.ofMillis(5), aSecondAgo).milliseconds())
                .isEqualTo(1);
    }

    @Test
    void isNeverMoreThanStatementTimeoutTakes() {
        assertThat(WaitBound.remaining(Duration.ofDays(365), System.nanoTime()).milliseconds())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void aCancelBeforeItIsSomebodyElses() {
        assertThat(new WaitBound(60_000, System.nanoTime()).ended(CANCELED)).isFalse();
        assertThat(new WaitBound(1, System.nanoTime() - 1_000_000).ended(CANCELED))
                .isTrue();
    }

    @Test
    void aShorterLockTimeoutEndsIt() {
        assertThat(new WaitBound(60_000, System.nanoTime()).ended(new SQLException("lock not available", "55P03")))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01", "25P02", "57P01", "08006"})
    void noOtherErrorEndsIt(String sqlState) {
        assertThat(new WaitBound(1, System.nanoTime() - 1_000_000).ended(new SQLException("other", sqlState)))
                .isFalse();
    }
}
