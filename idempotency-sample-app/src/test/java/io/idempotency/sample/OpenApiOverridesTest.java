package io.idempotency.sample;

import java.util.List;
import java.util.Map;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.junit.jupiter.api.Test;
import org.springdoc.core.customizers.GlobalOperationComponentsCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;

import io.idempotency.CallerResolver;
import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;
import io.idempotency.boot.openapi.IdempotencyOpenApiAutoConfiguration;
import io.idempotency.boot.web.IdempotencyKeyHeader;
import io.idempotency.boot.web.IdempotencyWebAutoConfiguration;
import io.idempotency.internal.operation.AnnotationOperationSource;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.operation.RetentionPolicy;
import io.idempotency.test.Defaults;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application decides about its OpenAPI document: by settings, annotations and documentation of its own. */
class OpenApiOverridesTest {

    private static final RetentionPolicy RETENTION = Defaults.retention(null);

    private final Components components = new Components();

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    IdempotencyWebAutoConfiguration.class, IdempotencyOpenApiAutoConfiguration.class))
            .withBean(CallerResolver.class, () -> () -> "alice")
            .withBean(
                    IdempotentOperationSource.class,
                    () -> new AnnotationOperationSource(text -> text, () -> RETENTION, List.of()));

    @Test
    void anOptionalKeyIsAnOptionalHeader() {
        assertThat(header(publish("optional")).getRequired()).isFalse();
        assertThat(header(publish("required")).getRequired()).isTrue();
    }

    @Test
    void safeMethodsIgnoreTheKey() {
        assertThat(publish("safe")).isEqualTo(new Operation());
        assertThat(header(publish("safeAndUnsafe")).getIn()).isEqualTo("header");
    }

    @Test
    void withoutAKeyNothingIsPublished() {
        assertThat(publish("noKey")).isEqualTo(new Operation());
        assertThat(components).isEqualTo(new Components());
    }

    @Test
    void namesAndPagesAreThoseOfTheSettings() {
        Operation operation = publish(
                "required",
                documented(),
                "idempotency.http.header-name=X-Key",
                "idempotency.http.replayed-header-name=X-Replayed",
                "idempotency.http.problem-type-base=https://errors.example.com/",
                "idempotency.http.documentation-url=https://developer.example.com/keys");

        assertThat(operation.getParameters()).extracting(Parameter::getName).containsExactly("X-Key");
        assertThat(header(operation).getDescription()).endsWith(" See https://developer.example.com/keys");
        assertThat(operation.getResponses().get("400").getDescription()).isEqualTo("X-Key is missing or malformed.");
        assertThat(operation.getResponses().get("201").getHeaders()).containsKeys("Location", "X-Replayed");
        assertThat(problemMembers().get("type").getExample()).isEqualTo("https://errors.example.com/key-reused");
        assertThat(problemMembers()).doesNotContainKey("code");
    }

    @Test
    void strictKeysAreInDoubleQuotes() {
        Schema<?> strict = header(publish("required", new Operation(), "idempotency.http.strict=true"))
                .getSchema();

        assertThat("\"order-42\"").matches(strict.getPattern()).hasSizeGreaterThanOrEqualTo(strict.getMinLength());
        assertThat("order-42")
                .doesNotMatch(strict.getPattern())
                .matches(header(publish("required")).getSchema().getPattern());
    }

    @Test
    void theTimeOfAKeyIsTheServicesUnlessTheHandlerIsIdempotentItself() {
        String unless = ", unless the service behind this operation sets another time.";

        assertThat(retentionOf("required", "7d")).endsWith("Keys are kept for 7 days" + unless);
        assertThat(retentionOf("required", "1d")).endsWith("Keys are kept for 24 hours" + unless);
        assertThat(retentionOf("required", "36h")).endsWith("Keys are kept for 36 hours" + unless);
        assertThat(retentionOf("required", "1500ms")).endsWith("Keys are kept for 1500 milliseconds" + unless);
        // The annotation was read with the defaults of RETENTION.
        assertThat(retentionOf("idempotent", "36h")).endsWith("Keys are kept for 7 days.");
        assertThat(retentionOf("idempotentForAnHour", "36h")).endsWith("Keys are kept for 60 minutes.");
    }

    private String retentionOf(String handler, String retention) {
        return header(publish(handler, new Operation(), "idempotency.retention=" + retention))
                .getDescription();
    }

    @Test
    void callersAreKnownOnlyWhereTheyAreRequired() {
        assertThat(publish("required").getResponses()).doesNotContainKey("403");
        assertThat(publish("required", new Operation(), "idempotency.http.require-caller=true")
                        .getResponses())
                .containsKey("403");
    }

    @Test
    void anApplicationThatAnswersExceptionsItselfDocumentsThem() {
        Operation operation = publish("required", documented(), "idempotency.http.problem-details=false");

        assertThat(operation.getResponses()).containsOnlyKeys("201", "409");
        assertThat(header(operation).getName()).isEqualTo("Idempotency-Key");
        assertThat(components).isEqualTo(new Components());
    }

    @Test
    void whatTheApplicationDocumentsStays() {
        Header replayed = new Header().description("its own");
        Operation operation = documented()
                .addParametersItem(new HeaderParameter().name("idempotency-key").description("its own"));
        operation.getResponses().get("201").addHeaderObject("idempotent-replayed", replayed);
        components.addSchemas("IdempotencyProblem", new Schema<>().description("its own"));

        Operation published = publish("required", operation);

        assertThat(published.getParameters()).hasSize(1);
        assertThat(header(published).getDescription()).isEqualTo("its own");
        assertThat(published.getResponses()).containsOnlyKeys("201", "400", "409", "410", "422", "500", "503");
        assertThat(published.getResponses().get("409")).isEqualTo(new ApiResponse().description("its own"));
        assertThat(published.getResponses().get("201").getHeaders())
                .containsOnlyKeys("Location", "idempotent-replayed")
                .containsEntry("idempotent-replayed", replayed);
        assertThat(components.getSchemas().get("IdempotencyProblem").getDescription())
                .isEqualTo("its own");
    }

    @Test
    void aRangeOfStatusesIsDocumentedToo() {
        Operation operation = documented();
        operation.getResponses().addApiResponse("4XX", new ApiResponse().description("its own"));

        assertThat(publish("required", operation).getResponses()).containsOnlyKeys("201", "409", "4XX", "500", "503");
    }

    @Test
    void aReferenceHasNoOtherMembers() {
        ApiResponse reference = new ApiResponse().$ref("#/components/responses/Created");

        Operation published =
                publish("required", new Operation().responses(new ApiResponses().addApiResponse("201", reference)));

        assertThat(published.getResponses().get("201").getHeaders()).isNull();
    }

    @Test
    void aCustomizerOfTheApplicationReplacesTheLibrarysOrComesAfterIt() {
        GlobalOperationCustomizer own = (operation, handler) -> operation;

        application
                .withBean("idempotentOperationCustomizer", GlobalOperationCustomizer.class, () -> own)
                .run(context -> assertThat(context.getBean(GlobalOperationCustomizer.class))
                        .isSameAs(own));
        application
                .withBean("another", GlobalOperationCustomizer.class, () -> own)
                .run(context -> assertThat(context.getBeanProvider(GlobalOperationCustomizer.class)
                                .orderedStream())
                        .as("may change what the library publishes")
                        .hasSize(2)
                        .endsWith(own));
    }

    @Test
    void withoutTheWebLayerThereIsNothingToPublish() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyWebAutoConfiguration.class, IdempotencyOpenApiAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(GlobalOperationCustomizer.class));
    }

    private Operation publish(String handler) {
        return publish(handler, new Operation());
    }

    private Operation publish(String handler, Operation operation, String... properties) {
        application
                .withPropertyValues(properties)
                .run(context -> context.getBean(GlobalOperationComponentsCustomizer.class)
                        .customize(operation, components, handler(handler)));
        return operation;
    }

    private static HandlerMethod handler(String name) throws NoSuchMethodException {
        Controller controller = new Controller();
        return name.equals("noKey")
                ? new HandlerMethod(controller, name)
                : new HandlerMethod(controller, name, IdempotencyKey.class);
    }

    private static Operation documented() {
        return new Operation()
                .responses(new ApiResponses()
                        .addApiResponse("201", new ApiResponse().addHeaderObject("Location", new Header()))
                        .addApiResponse("409", new ApiResponse().description("its own")));
    }

    private static Parameter header(Operation operation) {
        return operation.getParameters().get(0);
    }

    @SuppressWarnings({"rawtypes", "unchecked"})
    private Map<String, Schema> problemMembers() {
        return components.getSchemas().get("IdempotencyProblem").getProperties();
    }

    static class Controller {

        @PostMapping
        public void required(@IdempotencyKeyHeader IdempotencyKey key) {}

        @PostMapping
        public void optional(@IdempotencyKeyHeader(required = false) IdempotencyKey key) {}

        @GetMapping
        public void safe(@IdempotencyKeyHeader IdempotencyKey key) {}

        @RequestMapping(method = {RequestMethod.GET, RequestMethod.POST})
        public void safeAndUnsafe(@IdempotencyKeyHeader IdempotencyKey key) {}

        @PostMapping
        @Transactional
        @Idempotent(scope = "a", key = "#key")
        public void idempotent(@IdempotencyKeyHeader IdempotencyKey key) {}

        @PostMapping
        @Transactional
        @Idempotent(scope = "b", key = "#key", retention = "1h")
        public void idempotentForAnHour(@IdempotencyKeyHeader IdempotencyKey key) {}

        @PostMapping
        public void noKey() {}
    }
}
