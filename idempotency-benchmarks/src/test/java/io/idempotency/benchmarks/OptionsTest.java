package io.idempotency.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OptionsTest {

    private static final Path OUTPUT = Path.of("benchmark");

    @Test
    void withoutArgumentsEverythingIsMeasuredInFifteenRounds() {
        Options options = parse();

        assertThat(options.rounds()).isEqualTo(15);
        assertThat(options.threads()).containsExactly(1, 4, 8);
        assertThat(options.jobs()).isEqualTo(JobName.ALL);
        assertThat(options.rows()).containsExactly(0L, 1_000_000L, 10_000_000L);
        assertThat(options.linkDelay()).isZero();
        assertThat(options.jdbcUrl()).isNull();
        assertThat(options.output()).isEqualTo(OUTPUT);
        assertThat(options.measures("plain")).isTrue();
    }

    @Test
    void aValueFollowsAnEqualsSignOrIsTheNextArgument() {
        Options options = parse("--link-delay", "0.25ms", "--rounds=3", "--threads", "8,2");

        assertThat(options.linkDelay()).isEqualTo(Duration.ofNanos(250_000));
        assertThat(options.rounds()).isEqualTo(3);
        assertThat(options.threads()).containsExactly(8, 2);
        assertThat(options.mostThreads()).isEqualTo(8);
    }

    @Test
    void quickCanBeChangedWhereverItStands() {
        Options options = parse("--rounds=5", "--quick", "--slot=20ms");

        assertThat(options.rounds()).isEqualTo(5);
        assertThat(options.slot()).isEqualTo(Duration.ofMillis(20));
        assertThat(options.mostWarmUps()).isLessThan(parse().warmUps());
    }

    @Test
    void listsAreRead() {
        Options options =
                parse("--jobs=race,new-key", "--rows=100,0", "--responses=none", "--only=starter,plain", "--output=x");

        assertThat(options.jobs()).containsExactly("race", "new-key");
        assertThat(options.rows()).as("can only grow").containsExactly(0L, 100L);
        assertThat(options.responseBytes()).isEmpty();
        assertThat(options.measures("starter-void")).isTrue();
        assertThat(options.measures("hand-written")).isFalse();
        assertThat(options.output()).isEqualTo(Path.of("x"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "--fast=1, There is no option --fast",
                "--fast, --fast has no value",
                "fast, What is fast?",
                "--rounds, --rounds has no value",
                "--rounds=0, --rounds takes numbers from 1 to 1000",
                "--rounds=many, and not many",
                "--threads=65, --threads takes numbers from 1 to 64",
                "--threads=1;4, and not 1;4",
                "--slot=0s, --slot must be more than zero",
                "--slot=1, --slot must look like",
                "--link-delay=-1ms, --link-delay must look like",
                "--jobs=new, \"There is no job new, but new-key, repeated-key\"",
                "--rows=-1, --rows takes numbers from 0",
                "--responses=10, --responses takes numbers from",
            })
    void whatCannotBeUnderstoodIsToldByName(String argument, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> parse(argument)).withMessageContaining(message);
    }

    @Test
    void aUrlThatIsRefusedIsNotRepeatedBecauseItHoldsAPassword() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--jdbc-url=jdbc:mysql://host/db?password=secret"))
                .withMessageContaining("--jdbc-url must look like")
                .withMessageNotContaining("secret");
    }

    private static Options parse(String... arguments) {
        return Options.parse(List.of(arguments), OUTPUT);
    }
}
