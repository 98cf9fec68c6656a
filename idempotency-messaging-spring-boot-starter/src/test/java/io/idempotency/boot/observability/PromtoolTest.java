package io.idempotency.boot.observability;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Prometheus itself reads the rules and the dashboard's expressions, and the alerts fire when they should. */
@Tag("full")
class PromtoolTest {

    @BeforeAll
    static void requirePromtool() {
        assumeTrue(isInstalled(), "promtool is not installed; it comes with Prometheus");
    }

    private static boolean isInstalled() {
        try {
            return run("--version").exitCode() == 0;
        } catch (IOException | InterruptedException missing) {
            return false;
        }
    }

    @Test
    void theRulesAreValid() throws Exception {
        Result result = run("check", "rules", PrometheusRules.FILE.toString());

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output())
                .contains("SUCCESS: " + PrometheusRules.read().rules().size() + " rules found");
    }

    @Test
    void theAlertsFireWhenTheyShould() throws Exception {
        Result result = run("test", "rules", PrometheusRules.TESTS.toString());

        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    @Test
    void thePanelsOfTheDashboardAskWhatPrometheusUnderstands(@TempDir Path directory) throws Exception {
        List<Map<String, String>> rules = new ArrayList<>();
        for (String expression : GrafanaDashboard.read().resolvedExpressions()) {
            rules.add(Map.of("record", "panel_" + rules.size(), "expr", expression));
        }
        Path file = directory.resolve("panels.yml");
        Files.writeString(file, new Yaml().dump(Map.of("groups", List.of(Map.of("name", "panels", "rules", rules)))));

        Result result = run("check", "rules", file.toString());

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("SUCCESS: " + rules.size() + " rules found");
    }

    private static Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }

    private record Result(int exitCode, String output) {}
}
