package io.idempotency.benchmarks.harness;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OptionsTest {

    @Test
    void everythingIsMeasuredByDefault() {
        Options options = Options.parse();

        assertThat(options.jobs()).containsExactly(Job.values());
        assertThat(options.threads()).containsExactly(1, 4, 8);
        assertThat(options.rounds()).isEqualTo(20);
        assertThat(options.slot()).isEqualTo(Duration.ofMillis(500));
        assertThat(options.delay()).isZero();
        assertThat(options.jdbcUrl()).isNull();
        assertThat(options.measures("plain")).isTrue();
    }

    @Test
    void anOptionIsStrongerThanQuickWhereverItStands() {
        Options options = Options.parse("--rounds=5", "--quick", "--threads=8,2");

        assertThat(options.rounds()).isEqualTo(5);
        assertThat(options.threads()).containsExactly(8, 2);
        assertThat(options.mostThreads()).isEqualTo(8);
        assertThat(options.slot()).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void jobsAndContendersAreChosenByName() {
        Options options = Options.parse("--jobs=relay,new-key", "--only=starter,plain", "--delay=500us");

        assertThat(options.jobs()).containsExactly(Job.RELAY, Job.NEW_KEY);
        assertThat(options.measures("starter-void")).isTrue();
        assertThat(options.measures("hand-written")).isFalse();
        assertThat(options.delay()).isEqualTo(Duration.ofNanos(500_000));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--fast=1", "rounds=1", "--rounds=0", "--rounds=many", "--threads=0", "--slot=0s", "--jobs=race"
            })
    void whatIsNotUnderstoodIsRefused(String argument) {
        assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(argument));
    }

    @Test
    void theRefusalNamesTheOption() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse("--rounds=many"))
                .withMessageContaining("rounds")
                .withMessageContaining("many");
    }

    @Test
    void aRefusedUrlIsNotPrintedBecauseItHoldsAPassword() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse("--jdbc-url=jdbc:mysql://host/db?password=secret"))
                .withMessageContaining("jdbc-url")
                .withMessageNotContaining("secret");
    }
}
