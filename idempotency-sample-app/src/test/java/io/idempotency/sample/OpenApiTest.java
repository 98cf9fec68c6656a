package io.idempotency.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The OpenAPI document that springdoc makes of controllers which take keys. */
@Tag("full")
class OpenApiTest {

    private static final Pattern PROBLEM = Pattern.compile("^\\| `[\\w-]+` \\| (\\d{3}) \\|", Pattern.MULTILINE);

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start("--idempotency.http.failure-status[no_card]=402");

    private static JsonNode document;

    @BeforeAll
    static void readDocument() throws Exception {
        document = read(SAMPLE, "/v3/api-docs");
    }

    private static JsonNode read(RunningSample sample, String path) throws IOException, InterruptedException {
        return new JsonMapper().readTree(sample.wallet().get(path).body());
    }

    private static JsonNode payment() {
        return document.at("/paths/~1payments/post");
    }

    @Test
    void theKeyIsARequiredHeader() {
        assertThat(payment().at("/requestBody").isMissingNode())
                .as("the operation is told: %s", payment())
                .isFalse();
        assertThat(payment().get("parameters")).hasSize(1);
        JsonNode header = payment().at("/parameters/0");
        assertThat(header.get("name").asString()).isEqualTo("Idempotency-Key");
        assertThat(header.get("in").asString()).isEqualTo("header");
        assertThat(header.get("required").asBoolean()).isTrue();
        assertThat(header.get("description").asString())
                .contains("send it with every attempt")
                .endsWith("Keys are kept for 7 days, unless the service behind this operation sets another time.");
        assertThat(header.at("/schema/type").asString()).isEqualTo("string");
        assertThat(header.get("example").asString()).matches("\"[a-z0-9-]+\"");
    }

    /** As {@code KeyHeaderTest} has it of the server. */
    @ParameterizedTest
    @MethodSource("fields")
    void theHeaderIsWhatTheServerAccepts(String field, boolean accepted) {
        JsonNode schema = payment().at("/parameters/0/schema");

        assertThat(field.matches(schema.get("pattern").asString())
                        && field.length() >= schema.get("minLength").asInt()
                        && field.length() <= schema.get("maxLength").asInt())
                .isEqualTo(accepted);
    }

    static Stream<Arguments> fields() {
        return Stream.concat(
                Stream.of(
                                "5",
                                "~!@#$%^&*()'",
                                "\"two words\"",
                                "\"a,b;c=d\"",
                                "\"\\\"\\\\\"",
                                '"' + "\\\"".repeat(255) + '"')
                        .map(accepted -> arguments(accepted, true)),
                Stream.of(
                                "",
                                " ",
                                "\"\"",
                                "\" \"",
                                "\"",
                                "\"a",
                                "\"\\a\"",
                                "\"a\";b",
                                "\"a\", \"b\"",
                                "\"a\"b",
                                "a;b",
                                "a,b",
                                "a b",
                                "a\"b",
                                "a\\b",
                                "\"a\tb\"",
                                "\"\u007f\"",
                                "\u00e9",
                                "\"\u00e9\"",
                                '"' + "\\\"".repeat(256) + '"')
                        .map(refused -> arguments(refused, false)));
    }

    @Test
    void everyStatusOfAProblemIsPublished() throws IOException {
        Set<String> statuses = PROBLEM.matcher(Files.readString(Path.of("..", "docs", "http.md")))
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        // 403 is for idempotency.http.require-caller only.
        assertThat(statuses).contains("403").contains("409");
        statuses.remove("403");
        statuses.add("201");
        assertThat(payment().get("responses").propertyNames()).containsExactlyInAnyOrderElementsOf(statuses);
    }

    @Test
    void refusalsAreProblems() {
        for (String status : List.of("400", "409", "410", "422", "503")) {
            JsonNode response = payment().at("/responses/" + status);
            assertThat(response.get("description").asString()).isNotBlank();
            assertThat(response.get("content").propertyNames()).containsExactly("application/problem+json");
            assertThat(response.at("/content/application~1problem+json/schema/$ref")
                            .asString())
                    .isEqualTo("#/components/schemas/IdempotencyProblem");
        }
        assertThat(document.at("/components/schemas/IdempotencyProblem/properties")
                        .propertyNames())
                .containsExactlyInAnyOrder("type", "title", "status", "detail", "instance", "code");
    }

    @Test
    void aProblemHasTheMembersThatAreDocumented() throws Exception {
        Answer refusal = SAMPLE.wallet().pay(null, "{}");

        assertThat(refusal.status()).isEqualTo(400);
        assertThat(new JsonMapper().readTree(refusal.body()).propertyNames())
                .containsExactlyInAnyOrder("type", "title", "status", "detail", "instance");
    }

    @Test
    void headersOfResponsesArePublished() {
        assertThat(headers("201")).containsExactly("Idempotent-Replayed");
        assertThat(headers("409")).containsExactly("Retry-After");
        assertThat(headers("422")).containsExactly("Idempotent-Replayed");
        assertThat(headers("503")).containsExactly("Retry-After");
        assertThat(payment()
                        .at("/responses/409/headers/Retry-After/schema/type")
                        .asString())
                .isEqualTo("integer");
    }

    private static Iterable<String> headers(String status) {
        return payment().at("/responses/" + status + "/headers").propertyNames();
    }

    @Test
    void everyOperationWithAKeyIsTold() {
        assertThat(document.findParents("in"))
                .filteredOn(parameter -> parameter.get("name").asString().equals("Idempotency-Key"))
                .hasSize(6)
                .allSatisfy(header -> assertThat(header.get("in").asString()).isEqualTo("header"));
    }

    @Test
    void operationsWithoutAKeyAreNotTouched() {
        JsonNode payments = document.at("/paths/~1payments/get");
        JsonNode webhook = document.at("/paths/~1webhooks~1{name}/post");

        assertThat(payments.findValuesAsString("name")).containsExactly("accountId");
        assertThat(webhook.findValuesAsString("name")).containsExactly("name");
        for (JsonNode operation : List.of(payments, webhook)) {
            assertThat(operation.toString()).doesNotContain("Idempoten", "Retry-After", "problem+json");
        }
    }

    @Test
    void groupsAndTheOlderFormatSayTheSame() throws Exception {
        try (RunningSample grouped = RunningSample.start(
                "--idempotency.http.failure-status[no_card]=402",
                "--springdoc.api-docs.version=openapi_3_0",
                "--springdoc.group-configs[0].group=money",
                "--springdoc.group-configs[0].paths-to-match=/payments/**")) {
            JsonNode group = read(grouped, "/v3/api-docs/money");

            assertThat(group.get("openapi").asString()).startsWith("3.0");
            assertThat(document.get("openapi").asString()).startsWith("3.1");
            assertThat(group.at("/paths/~1payments/post")).isEqualTo(payment());
            assertThat(group.at("/components/schemas/IdempotencyProblem"))
                    .isEqualTo(document.at("/components/schemas/IdempotencyProblem"));
        }
    }
}
