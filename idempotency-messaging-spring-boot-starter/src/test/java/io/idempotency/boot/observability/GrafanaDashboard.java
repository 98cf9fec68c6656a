package io.idempotency.boot.observability;

import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard for Grafana that the documentation offers. */
record GrafanaDashboard(List<String> panels, List<String> expressions, List<String> variables) {

    static GrafanaDashboard read() {
        JsonNode dashboard = new JsonMapper()
                .readTree(
                        PrometheusRules.FOLDER.resolve("grafana-dashboard.json").toFile());
        return new GrafanaDashboard(
                each(dashboard.get("panels"))
                        .filter(panel -> !panel.get("type").asString().equals("row"))
                        .map(panel -> panel.get("title").asString())
                        .toList(),
                each(dashboard.get("panels"))
                        .filter(panel -> panel.has("targets"))
                        .flatMap(panel -> each(panel.get("targets")))
                        .map(target -> target.get("expr").asString())
                        .toList(),
                each(dashboard.get("templating").get("list"))
                        .filter(variable -> variable.get("type").asString().equals("query"))
                        .map(variable -> variable.get("definition").asString())
                        .toList());
    }

    /** With values in the place of what Grafana fills in, so that Prometheus can read them. */
    List<String> resolvedExpressions() {
        return expressions.stream()
                .map(expression -> expression.replace("$__rate_interval", "5m").replaceAll("\\$\\w+", ".*"))
                .toList();
    }

    private static Stream<JsonNode> each(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
