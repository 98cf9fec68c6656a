package io.idempotency.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The OpenAPI document that springdoc makes of controllers which take keys. */
@Tag("full")
class OpenApiTest {

    private static final Pattern PROBLEM = Pattern.compile("^\\| `[\\w-]+` \\| (\\d{3}) \\|", Pattern.MULTILINE);

    private static RunningSample sample;

    private static JsonNode document;

    @BeforeAll
    static void start() throws Exception {
        sample = RunningSample.start("--idempotency.http.failure-status[no_card]=402");
        document = read(sample, "/v3/api-docs");
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    private static JsonNode read(RunningSample sample, String path) throws IOException, InterruptedException {
        return new JsonMapper().readTree(WalletClient.of(sample.url()).get(path).body());
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
        assertThat(KeyHeaderOracle.keyOf(List.of(header.get("example").asString())))
                .isPresent();
    }

    @Test
    void theHeaderIsWhatTheServerAccepts() {
        JsonNode schema = payment().at("/parameters/0/schema");
        Pattern pattern = Pattern.compile(schema.get("pattern").asString());
        RandomKeyHeaders random = new RandomKeyHeaders(new Random().nextLong());

        List<String> fields = Stream.generate(random::next)
                .filter(sent -> sent.size() == 1)
                .map(sent -> sent.get(0))
                .filter(field -> field.equals(field.strip()) && !field.contains("\n"))
                .limit(20_000)
                .toList();

        assertThat(fields)
                .filteredOn(field -> KeyHeaderOracle.keyOf(List.of(field)).isPresent())
                .isNotEmpty()
                .allSatisfy(field -> assertThat(field)
                        .matches(pattern)
                        .hasSizeBetween(
                                schema.get("minLength").asInt(),
                                schema.get("maxLength").asInt()));
        assertThat(fields)
                .filteredOn(field -> KeyHeaderOracle.keyOf(List.of(field)).isEmpty())
                .isNotEmpty()
                .noneMatch(pattern.asMatchPredicate());
    }

    @Test
    void theLongestFieldIsThatOfAKeyOfEscapedCharacters() {
        assertThat(payment().at("/parameters/0/schema/maxLength").asInt())
                .isEqualTo(KeyHeaderOracle.quoted("\"".repeat(255)).length());
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
        Answer refusal = WalletClient.of(sample.url()).pay(null, "{}");

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
