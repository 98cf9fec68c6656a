package io.idempotency.boot.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.boot.testing.OtherJvm;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What is stored, compared and sent as SQL is the same whatever locale, time zone and charset a machine has. */
@PostgresTest(empty = true)
@Tag("full")
class OtherMachinesTest {

    private final TestDatabase database;

    OtherMachinesTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void everyFeatureDoesTheSame() throws Exception {
        List<String> usual = effectsIn("7en_US", "-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC");

        assertThat(usual)
                .contains(
                        "key-1 call",
                        "key-1 reserve",
                        "key-1 charge",
                        "key-1 resumed",
                        "key-1 handled true",
                        "key-1 posted",
                        "http 200",
                        "every-resume succeeded",
                        "kept 0");
        assertThat(effectsIn(
                        "\u0667ar_EG",
                        "-Duser.language=ar",
                        "-Duser.country=EG",
                        "-Duser.timezone=Asia/Kathmandu",
                        "-Dfile.encoding=US-ASCII"))
                .isEqualTo(usual);
        assertThat(effectsIn(
                        "7tr_TR",
                        "-Duser.language=tr",
                        "-Duser.country=TR",
                        "-Duser.timezone=America/St_Johns",
                        "-Dfile.encoding=windows-1254"))
                .isEqualTo(usual);
    }

    private List<String> effectsIn(String locale, String... options) throws Exception {
        database.jdbc()
                .execute("drop schema if exists idempotency cascade; drop table if exists feature;"
                        + EveryFeature.TABLES);
        ProcessBuilder builder = OtherJvm.of(database, EveryFeatureJvm.class, List.of());
        builder.command().addAll(1, List.of(options));
        builder.command().add(1, "-Dstdout.encoding=UTF-8");
        builder.command().add(1, "-Dsun.stdout.encoding=UTF-8");
        List<String> output = outputOf(builder.start());

        assertThat(output).contains(EveryFeatureJvm.LOCALE + locale);
        return output.stream()
                .filter(line -> line.startsWith(EveryFeatureJvm.EFFECT))
                .map(line -> line.substring(EveryFeatureJvm.EFFECT.length()))
                .toList();
    }

    private static List<String> outputOf(Process process) throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = process.inputReader(java.nio.charset.StandardCharsets.UTF_8)) {
            reader.lines().forEach(lines::add);
        }
        assertThat(process.waitFor()).as(() -> String.join("\n", lines)).isZero();
        return lines;
    }
}
