package io.idempotency.boot.documentation;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.actuate.IdempotencyEndpointProperties;
import io.idempotency.boot.flyway.IdempotencyMigrationProperties;
import io.idempotency.boot.logging.IdempotencyLoggingProperties;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxProperties;
import io.idempotency.boot.messaging.operations.IdempotencyMessagingHealthProperties;
import io.idempotency.boot.messaging.storage.IdempotencyStorageProperties;
import io.idempotency.boot.outbox.IdempotencyOutboxProperties;
import io.idempotency.boot.rabbit.IdempotencyRabbitProperties;
import io.idempotency.boot.resume.IdempotencyResumeProperties;
import io.idempotency.boot.retention.IdempotencyPurgeProperties;
import io.idempotency.boot.sample.IdempotencyHealthProperties;
import io.idempotency.boot.tracing.IdempotencyTracingProperties;
import io.idempotency.boot.web.IdempotencyHttpProperties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every example in the documentation is one that works. */
@Tag("full")
class DocumentationTest {

    private static final String HTTP = "idempotency.http";

    private static final String ENDPOINT = "management.endpoint.idempotency";

    /** Below the outbox, and bound before it. */
    private static final String RABBIT = "idempotency.outbox.rabbit";

    /** A limit of messages, which is bound before the other limits of health. */
    private static final String OUTBOX_AGE = "idempotency.health.max-outbox-age";

    /** The properties records of single features by their prefix; all other properties are in IdempotencyProperties. */
    private static final Map<String, Class<?>> FEATURES = Map.of(
            HTTP,
            IdempotencyHttpProperties.class,
            "idempotency.health",
            IdempotencyHealthProperties.class,
            "idempotency.inbox",
            IdempotencyInboxProperties.class,
            "idempotency.logging",
            IdempotencyLoggingProperties.class,
            "idempotency.migration",
            IdempotencyMigrationProperties.class,
            "idempotency.outbox",
            IdempotencyOutboxProperties.class,
            "idempotency.purge",
            IdempotencyPurgeProperties.class,
            "idempotency.resume",
            IdempotencyResumeProperties.class,
            "idempotency.storage",
            IdempotencyStorageProperties.class,
            "idempotency.tracing",
            IdempotencyTracingProperties.class);

    private static final Pattern DEPENDENCY_OF_MAVEN =
            Pattern.compile("<groupId>(.+)</groupId>\\s+<artifactId>(.+)</artifactId>(?:\\s+<version>(.+)</version>)?");

    private static final Pattern DEPENDENCY_OF_GRADLE =
            Pattern.compile("(?:implementation|testImplementation) '([^:']+):([^:']+)(?::([^:']+))?'");

    static Stream<MarkdownFile> pagesWithJava() throws IOException {
        return pages().filter(page -> !JavaExamples.of(page).isEmpty());
    }

    static Stream<MarkdownFile.CodeBlock> yamlBlocks() throws IOException {
        return MarkdownFile.all().stream().flatMap(page -> page.code("yaml").stream());
    }

    static Stream<MarkdownFile> pages() throws IOException {
        return MarkdownFile.all().stream();
    }

    /** Together: an example may use what an earlier one of the page has shown. */
    @ParameterizedTest
    @MethodSource("pagesWithJava")
    void javaExamplesOfAPageCompile(MarkdownFile page, @TempDir Path classes) {
        JavaExamples.compile(page, classes);
    }

    @ParameterizedTest
    @MethodSource("yamlBlocks")
    void yamlExamplesBind(MarkdownFile.CodeBlock block) throws IOException {
        Map<String, Object> properties = propertiesIn(block);

        assertThat(bind(takeFrom(properties, RABBIT), RABBIT, IdempotencyRabbitProperties.class))
                .isNotNull();
        assertThat(bind(
                        take(properties, OUTBOX_AGE::equals),
                        "idempotency.health",
                        IdempotencyMessagingHealthProperties.class))
                .isNotNull();
        FEATURES.forEach((prefix, type) ->
                assertThat(bind(takeFrom(properties, prefix), prefix, type)).isNotNull());
        Map<String, Object> endpoint = takeFrom(properties, ENDPOINT);
        endpoint.remove(ENDPOINT + ".access");
        assertThat(bind(endpoint, ENDPOINT, IdempotencyEndpointProperties.class))
                .isNotNull();
        assertThat(bind(properties, "idempotency", IdempotencyProperties.class)).isNotNull();
    }

    private static Map<String, Object> takeFrom(Map<String, Object> properties, String prefix) {
        return take(properties, name -> name.startsWith(prefix + '.'));
    }

    private static Map<String, Object> take(Map<String, Object> properties, Predicate<String> isTaken) {
        Map<String, Object> taken = new LinkedHashMap<>(properties);
        taken.keySet().removeIf(isTaken.negate());
        properties.keySet().removeAll(taken.keySet());
        return taken;
    }

    private static Map<String, Object> propertiesIn(MarkdownFile.CodeBlock block) throws IOException {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (PropertySource<?> source : new YamlPropertySourceLoader()
                .load(block.name(), new ByteArrayResource(block.code().getBytes(StandardCharsets.UTF_8)))) {
            for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                properties.put(name, source.getProperty(name));
            }
        }
        return properties;
    }

    /** Fails if there is one that the type does not know. */
    private static <T> T bind(Map<String, Object> properties, String prefix, Class<T> type) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate(prefix, Bindable.of(type), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }

    @Test
    void unknownPropertiesInAnExampleAreNoticed() {
        assertThatThrownBy(() -> bind(Map.of("idempotency.http.stirct", "true"), HTTP, IdempotencyHttpProperties.class))
                .isInstanceOf(BindException.class);
        assertThatThrownBy(
                        () -> bind(Map.of("idempotency.htpp.strict", "1"), "idempotency", IdempotencyProperties.class))
                .isInstanceOf(BindException.class);
    }

    /** A page has the whole name of a property, or an example with it, or its last part as code beside another property of its section. */
    @Test
    void everyPropertyIsOnAPage() throws IOException {
        String text = pages().filter(page -> !page.toString().equals("CHANGELOG.md"))
                .map(MarkdownFile::text)
                .collect(Collectors.joining());
        Set<String> inExamples = new HashSet<>();
        for (MarkdownFile.CodeBlock block : yamlBlocks().toList()) {
            inExamples.addAll(propertiesIn(block).keySet());
        }

        assertThat(properties())
                .hasSizeGreaterThan(50)
                .filteredOn(name -> !isNamed(name, text))
                .filteredOn(name -> inExamples.stream()
                        .noneMatch(example -> example.matches(Pattern.quote(name) + "(?:[.\\[].*)?")))
                .isEmpty();
    }

    private static boolean isNamed(String name, String text) {
        String last = name.substring(name.lastIndexOf('.') + 1);
        return Pattern.compile("\\b" + Pattern.quote(name) + "(?![\\w-])|(?:`\\.?|# )" + Pattern.quote(last) + "[`:]")
                .matcher(text)
                .find();
    }

    private static List<String> properties() throws IOException {
        List<String> names = new ArrayList<>();
        for (URL metadata : Collections.list(
                DocumentationTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream json = metadata.openStream()) {
                JsonMapper.shared()
                        .readTree(json)
                        .path("properties")
                        .forEach(property -> names.add(property.path("name").asString()));
            }
        }
        names.removeIf(name -> !name.startsWith("idempotency."));
        return names;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(MarkdownFile page) {
        assertThat(page.links())
                .allSatisfy(link ->
                        assertThat(link.leadsSomewhere()).as(link.toString()).isTrue());
    }

    /** Gradle itself is not run. */
    @Test
    void theCoordinatesForGradleAreThoseForMaven() throws IOException {
        Set<String> ofMaven = coordinates("xml", DEPENDENCY_OF_MAVEN);

        assertThat(coordinates("groovy", DEPENDENCY_OF_GRADLE)).hasSize(4).isSubsetOf(ofMaven);
    }

    private static Set<String> coordinates(String language, Pattern dependency) throws IOException {
        return pages().flatMap(page -> page.code(language).stream())
                .flatMap(block -> dependency.matcher(block.code()).results())
                .map(found -> found.group(1) + ":" + found.group(2) + ":" + found.group(3))
                .collect(Collectors.toSet());
    }

    @Test
    void thereAreExamples() throws IOException {
        assertThat(pagesWithJava()).isNotEmpty();
        assertThat(yamlBlocks()).isNotEmpty();
    }
}
