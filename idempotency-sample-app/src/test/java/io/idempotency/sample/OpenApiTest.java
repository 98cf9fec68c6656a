package io.idempotency.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The OpenAPI document that springdoc makes of controllers which take keys. */
@Tag("full")
class OpenApiTest {

    @Test
    void aKeyIsNoQueryParameter() throws Exception {
        try (RunningSample sample = RunningSample.start()) {
            JsonNode operation = new JsonMapper()
                    .readTree(HttpClient.newHttpClient()
                            .send(
                                    HttpRequest.newBuilder(URI.create(sample.url() + "/v3/api-docs"))
                                            .build(),
                                    BodyHandlers.ofString())
                            .body())
                    .at("/paths/~1payments/post");

            assertThat(operation.at("/requestBody").isMissingNode())
                    .as("the operation is told: %s", operation)
                    .isFalse();
            assertThat(operation.findValuesAsString("in")).doesNotContain("query");
            assertThat(operation.findValuesAsString("name")).doesNotContain("key");
        }
    }
}
