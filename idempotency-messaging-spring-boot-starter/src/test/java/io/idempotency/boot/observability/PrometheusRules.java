package io.idempotency.boot.observability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.yaml.snakeyaml.Yaml;

/** The rules for Prometheus that the documentation offers. */
record PrometheusRules(List<Rule> rules) {

    static final Path FOLDER = Path.of("..", "docs", "observability");

    static final Path FILE = FOLDER.resolve("prometheus-rules.yml");

    /** Of {@code promtool}: what has to fire, and when. */
    static final Path TESTS = FOLDER.resolve("prometheus-rules-test.yml");

    @SuppressWarnings("unchecked")
    static PrometheusRules read() throws IOException {
        Map<String, Object> file = new Yaml().load(Files.readString(FILE));
        return new PrometheusRules(((List<Map<String, Object>>) file.get("groups"))
                .stream()
                        .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
                        .map(Rule::of)
                        .toList());
    }

    List<Rule> alerts() {
        return rules.stream().filter(rule -> !rule.alert().isEmpty()).toList();
    }

    List<String> recorded() {
        return rules.stream()
                .map(Rule::recorded)
                .filter(name -> !name.isEmpty())
                .toList();
    }

    List<String> expressions() {
        return rules.stream().map(Rule::expression).toList();
    }

    /** Either the name of an alert or what is recorded is empty. */
    record Rule(String alert, String recorded, String expression, String runbook) {

        @SuppressWarnings("unchecked")
        private static Rule of(Map<String, Object> rule) {
            Map<String, String> annotations = (Map<String, String>) rule.getOrDefault("annotations", Map.of());
            return new Rule(
                    Objects.toString(rule.get("alert"), ""),
                    Objects.toString(rule.get("record"), ""),
                    Objects.toString(rule.get("expr")),
                    annotations.getOrDefault("runbook", ""));
        }
    }
}
