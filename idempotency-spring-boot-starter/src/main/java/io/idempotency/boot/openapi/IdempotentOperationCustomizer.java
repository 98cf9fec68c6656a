package io.idempotency.boot.openapi;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.BooleanSchema;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOperationComponentsCustomizer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;

import io.idempotency.IdempotencyKey;
import io.idempotency.boot.web.IdempotencyHttpProperties;
import io.idempotency.boot.web.IdempotencyKeyHeader;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;

/**
 * The customizer that publishes the header, the problems and the mark of replays of each operation that takes a key. It
 * keeps everything that the application documents, and comes first so that the application's customizers can change it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class IdempotentOperationCustomizer implements GlobalOperationComponentsCustomizer {

    private static final String PROBLEM = "IdempotencyProblem";

    private static final String PROBLEM_JSON = "application/problem+json";

    private static final String EXAMPLE = "\"8e03978e-40d5-43e8-bc93-6894a57f9324\"";

    /** A String of RFC 9651 that is not blank. */
    private static final String QUOTED =
            "\"(?! *\")([ !#-\\[\\]-~]|\\\\[\"\\\\]){1," + IdempotencyKey.MAX_LENGTH + "}\"";

    /** Printable text without spaces, double quotes, backslashes, commas and semicolons. */
    private static final String BARE = "[!#-+\\--:<-\\[\\]-~]{1," + IdempotencyKey.MAX_LENGTH + "}";

    private static final Set<RequestMethod> SAFE_METHODS =
            EnumSet.of(RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS, RequestMethod.TRACE);

    private final IdempotencyHttpProperties http;

    private final Duration retention;

    private final ObjectProvider<IdempotentOperationSource> operations;

    /**
     * Creates the customizer.
     *
     * @param operations source of the operations of handler methods; there is none if the library is switched off
     */
    IdempotentOperationCustomizer(
            IdempotencyHttpProperties http, Duration retention, ObjectProvider<IdempotentOperationSource> operations) {
        this.http = http;
        this.retention = retention;
        this.operations = operations;
    }

    /** springdoc calls the other method. */
    @Override
    public Operation customize(Operation operation, HandlerMethod handler) {
        return customize(operation, new Components(), handler);
    }

    @Override
    public Operation customize(Operation operation, Components components, HandlerMethod handler) {
        IdempotencyKeyHeader key = keyOf(handler);
        if (key != null && !isSafe(handler)) {
            publishHeader(operation, key, handler);
            publishResponses(operation, components);
        }
        return operation;
    }

    private static @Nullable IdempotencyKeyHeader keyOf(HandlerMethod handler) {
        return Arrays.stream(handler.getMethodParameters())
                .map(parameter -> parameter.getParameterAnnotation(IdempotencyKeyHeader.class))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns whether the header is ignored. If only some methods are safe, springdoc does not say which one this is. */
    private static boolean isSafe(HandlerMethod handler) {
        RequestMapping mapping = handler.getMethodAnnotation(RequestMapping.class);
        return mapping != null
                && mapping.method().length > 0
                && Arrays.stream(mapping.method()).allMatch(SAFE_METHODS::contains);
    }

    private void publishHeader(Operation operation, IdempotencyKeyHeader key, HandlerMethod handler) {
        boolean isDocumented = operation.getParameters() != null
                && operation.getParameters().stream()
                        .anyMatch(parameter -> "header".equals(parameter.getIn())
                                && http.headerName().equalsIgnoreCase(parameter.getName()));
        if (!isDocumented) {
            operation.addParametersItem(new HeaderParameter()
                    .name(http.headerName())
                    .required(key.required())
                    .description(description(handler))
                    .schema(keySchema())
                    .example(EXAMPLE));
        }
    }

    private String description(HandlerMethod handler) {
        String text =
                "The name of this one request, such as a UUID: make it once, and send it with every attempt. If the"
                        + " request was answered before, the response is the same and nothing is done again. The same key with"
                        + " another request is refused. " + retentionOf(handler);
        return http.documentationUrl() == null ? text : text + " See " + http.documentationUrl();
    }

    private String retentionOf(HandlerMethod handler) {
        IdempotentOperationSource source = operations.getIfAvailable();
        IdempotentOperation own =
                source == null ? null : source.findOperation(handler.getMethod(), handler.getBeanType());
        if (own == null) {
            return "Keys are kept for " + inWords(retention)
                    + ", unless the service behind this operation sets another time.";
        }
        return "Keys are kept for " + inWords(own.options().retention().ofKey()) + ".";
    }

    /** Returns more than one of a unit, so that the unit is a plural. */
    private static String inWords(Duration time) {
        return Stream.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS)
                .filter(unit -> time.toMillis() % unit.getDuration().toMillis() == 0)
                .filter(unit -> time.dividedBy(unit.getDuration()) > 1)
                .findFirst()
                .map(unit -> time.dividedBy(unit.getDuration()) + " "
                        + unit.toString().toLowerCase(Locale.ROOT))
                .orElseGet(() -> time.toMillis() + " milliseconds");
    }

    /** Limits the field and not the key: each character of the key may be escaped, and two double quotes surround it. */
    private Schema<String> keySchema() {
        Schema<String> schema = new StringSchema();
        schema.setMinLength(http.strict() ? "\"k\"".length() : 1);
        schema.setMaxLength(2 * IdempotencyKey.MAX_LENGTH + 2);
        schema.setPattern("^(" + (http.strict() ? QUOTED : QUOTED + "|" + BARE) + ")$");
        return schema;
    }

    private void publishResponses(Operation operation, Components components) {
        ApiResponses responses = Objects.requireNonNullElseGet(operation.getResponses(), ApiResponses::new);
        operation.setResponses(responses);
        responses.forEach((status, response) -> {
            if (status.startsWith("2") || status.startsWith("3")) {
                publishReplayedHeader(response);
            }
        });
        if (http.problemDetails()) {
            problems().forEach((status, problem) -> {
                if (!responses.containsKey(status.charAt(0) + "XX")) {
                    responses.putIfAbsent(status, problem);
                }
            });
            if (components.getSchemas() == null || !components.getSchemas().containsKey(PROBLEM)) {
                components.addSchemas(PROBLEM, problemSchema());
            }
        }
    }

    /** Leaves references alone, because they may have no other members. */
    private void publishReplayedHeader(ApiResponse response) {
        boolean isDocumented = response.getHeaders() != null
                && response.getHeaders().keySet().stream().anyMatch(http.replayedHeaderName()::equalsIgnoreCase);
        if (response.get$ref() == null && !isDocumented) {
            response.addHeaderObject(
                    http.replayedHeaderName(),
                    new Header()
                            .description(
                                    "true if this is the response to an earlier request with the key; absent if the"
                                            + " request was executed now.")
                            .schema(new BooleanSchema()));
        }
    }

    /** Returns what the library answers, by status. Statuses of recorded failures belong to single operations. */
    private Map<String, ApiResponse> problems() {
        String key = http.headerName();
        Map<String, ApiResponse> problems = new LinkedHashMap<>();
        problems.put("400", problem(key + " is missing or malformed."));
        if (http.requireCaller()) {
            problems.put("403", problem("The caller is not known."));
        }
        problems.put(
                "409",
                retryable("The request cannot be executed now, for example because another one with this " + key
                        + " is in progress; the type of the problem tells why. It may have had its effect: repeat"
                        + " it with the same key, and with no other, to learn the result."));
        problems.put(
                "410",
                problem("The request succeeded before and is not executed again, but its response is no longer"
                        + " stored."));
        ApiResponse refusal = problem("This " + key
                + " was used before with another request, which may have had its effect: repeat that one only as it was. Or"
                + " the request with it failed for good, and is not executed again.");
        publishReplayedHeader(refusal);
        problems.put("422", refusal);
        problems.put(
                "500",
                problem("The request failed, or it succeeded before and its stored response cannot be read. The type of"
                        + " the problem tells which."));
        problems.put(
                "503",
                retryable("The result of the request is not known yet. Repeat the request with the same key: it has its"
                        + " effect once."));
        return problems;
    }

    private static ApiResponse retryable(String description) {
        Schema<Number> seconds = new IntegerSchema();
        seconds.setMinimum(BigDecimal.ONE);
        return problem(description)
                .addHeaderObject(
                        HttpHeaders.RETRY_AFTER,
                        new Header()
                                .description("Number of seconds after which to repeat the request, if it is known.")
                                .schema(seconds));
    }

    private static ApiResponse problem(String description) {
        return new ApiResponse()
                .description(description)
                .content(new Content()
                        .addMediaType(
                                PROBLEM_JSON,
                                new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + PROBLEM))));
    }

    /** Requires no member, because the application may answer the same statuses with problems of its own. */
    private Schema<?> problemSchema() {
        Schema<?> problem = new ObjectSchema().description("Why a request was refused, as in RFC 9457.");
        problem.addProperty(
                "type",
                new StringSchema()
                        .format("uri-reference")
                        .description("The kind of the problem, which never changes.")
                        .example(http.problemTypeBase() + "key-reused"));
        problem.addProperty("title", new StringSchema().description("The kind of the problem in words."));
        problem.addProperty("status", new IntegerSchema().description("The status of the response."));
        problem.addProperty("detail", new StringSchema().description("What the client can do."));
        problem.addProperty(
                "instance", new StringSchema().format("uri-reference").description("The path of the request."));
        if (!http.failureStatus().isEmpty()) {
            problem.addProperty("code", new StringSchema().description("The code of a recorded failure."));
        }
        return problem;
    }
}
