package io.idempotency.boot.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationProperties;
import io.idempotency.boot.logging.IdempotencyLoggingProperties;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxAutoConfiguration;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxProperties;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyStorageProperties;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxProperties;
import io.idempotency.boot.properties.IdempotencyPropertiesAutoConfiguration;
import io.idempotency.boot.resume.IdempotencyResumeAutoConfiguration;
import io.idempotency.boot.resume.IdempotencyResumeProperties;
import io.idempotency.boot.retention.IdempotencyPurgeProperties;
import io.idempotency.boot.retention.IdempotencyRetentionAutoConfiguration;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.boot.tracing.IdempotencyTracingProperties;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application can set, what it gets if it does not, and what it is told if it sets nonsense. */
@PostgresTest
class IdempotencyPropertiesTest {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    private final ApplicationContextRunner application;

    IdempotencyPropertiesTest(TestDatabase database) {
        this.application = new ApplicationContextRunner()
                .withBean(DataSource.class, database::adminDataSource)
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyAutoConfiguration.class,
                        IdempotencyInboxAutoConfiguration.class,
                        IdempotencyMessagingAutoConfiguration.class,
                        IdempotencyMessagingStorageAutoConfiguration.class,
                        IdempotencyMigrationAutoConfiguration.class,
                        IdempotencyOutboxAutoConfiguration.class,
                        IdempotencyPropertiesAutoConfiguration.class,
                        IdempotencyResumeAutoConfiguration.class,
                        IdempotencyRetentionAutoConfiguration.class));
    }

    @Test
    void defaultsAreTheDocumentedOnes() {
        application.run(context -> assertThat(context.getBean(IdempotencyProperties.class))
                .isEqualTo(new IdempotencyProperties(
                        true,
                        "idempotency",
                        null,
                        true,
                        true,
                        false,
                        null,
                        Duration.ofDays(7),
                        null,
                        null,
                        Duration.ofSeconds(5),
                        100,
                        null,
                        Duration.ofSeconds(60),
                        Duration.ofMinutes(15),
                        DataSize.ofMegabytes(1),
                        false,
                        false,
                        new IdempotencyProperties.Retry(
                                4, Duration.ofMillis(50), 2, Duration.ofSeconds(1), Duration.ofSeconds(30)),
                        Duration.ofSeconds(30))));
    }

    @ParameterizedTest
    @MethodSource("defaultsOfFeatures")
    void defaultsOfFeaturesAreTheDocumentedOnes(String prefix, Record defaults) {
        assertThat(new Binder(new MapConfigurationPropertySource(Map.of()))
                        .bindOrCreate(prefix, Bindable.of(defaults.getClass())))
                .isEqualTo(defaults);
        assertThat(defaults.getClass()
                        .getAnnotation(ConfigurationProperties.class)
                        .value())
                .isEqualTo(prefix);
    }

    static Stream<Arguments> defaultsOfFeatures() {
        return Stream.of(
                Arguments.of("idempotency.inbox", new IdempotencyInboxProperties(Duration.ofDays(14), Map.of())),
                Arguments.of("idempotency.logging", new IdempotencyLoggingProperties(KeyDisplay.HASHED)),
                Arguments.of("idempotency.migration", new IdempotencyMigrationProperties(null, null, null)),
                Arguments.of(
                        "idempotency.outbox",
                        new IdempotencyOutboxProperties(
                                true,
                                true,
                                IdempotencyOutboxProperties.Sender.AUTO,
                                Duration.ofDays(3),
                                DataSize.ofMegabytes(1),
                                64,
                                100,
                                Duration.ofSeconds(1),
                                false,
                                Duration.ofSeconds(30),
                                15,
                                new IdempotencyOutboxProperties.Backoff(
                                        Duration.ofSeconds(1), 2, Duration.ofMinutes(10)),
                                4,
                                Duration.ofSeconds(10))),
                Arguments.of(
                        "idempotency.purge",
                        new IdempotencyPurgeProperties(
                                true,
                                Duration.ofMinutes(1),
                                null,
                                1000,
                                Duration.ofMillis(100),
                                Duration.ofMinutes(1),
                                false)),
                Arguments.of("idempotency.resume", new IdempotencyResumeProperties(true)),
                Arguments.of(
                        "idempotency.storage",
                        new IdempotencyStorageProperties(
                                IdempotencyStorageProperties.Partitioning.ROWS, true, Duration.ofMinutes(1), null)),
                Arguments.of("idempotency.tracing", new IdempotencyTracingProperties(KeyDisplay.OMITTED)));
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    idempotency.retention=0s,           idempotency.retention: The retention must be at least one millisecond
                    idempotency.retention=999999999d,   idempotency.retention: The retention must be at least
                    idempotency.inbox.retention=0s,     idempotency.inbox.retention: The retention must be at least one millisecond
                    idempotency.outbox.retention=0s,    idempotency.outbox.retention: The retention must be at least one millisecond
                    idempotency.max-lease=59s,          'idempotency.max-lease = 59s is shorter than idempotency.lease = 1m: raise it'
                    idempotency.max-waiting=0,          idempotency.max-waiting must be at least 1
                    idempotency.max-waiting-in-all=0,   idempotency.max-waiting-in-all must be at least 1
                    idempotency.outbox.lanes=0,         idempotency.outbox.lanes: The number of lanes must be 1 to 1024
                    idempotency.outbox.batch-size=0,    idempotency.outbox.batch-size must be at least 1
                    idempotency.outbox.max-attempts=0,  idempotency.outbox.max-attempts must be at least 1
                    idempotency.outbox.handler-threads=0, idempotency.outbox.handler-threads must be at least 1
                    idempotency.outbox.max-payload-size=0B, idempotency.outbox.max-payload-size must be more than zero
                    idempotency.outbox.poll-interval=0s, idempotency.outbox.poll-interval must be at least one millisecond
                    idempotency.outbox.send-timeout=0s, idempotency.outbox.send-timeout must be at least one millisecond
                    idempotency.outbox.send-timeout=2d, 'idempotency.outbox.send-timeout must be at most one day, not 2d'
                    idempotency.outbox.sample-interval=0s, idempotency.outbox.sample-interval must be at least one millisecond
                    idempotency.outbox.backoff.delay=0s, idempotency.outbox.backoff.delay must be at least one millisecond
                    idempotency.outbox.backoff.max-delay=0s, idempotency.outbox.backoff.max-delay must be at least one millisecond
                    idempotency.outbox.backoff.multiplier=0.5, idempotency.outbox.backoff.multiplier must be at least 1
                    idempotency.retention=400000d,      'idempotency.retention: The retention must be at least one millisecond and at most 365000d, not 400000d'
                    idempotency.retention=soon,         Failed to bind
                    idempotency.wait-timeout=-1s,       idempotency.wait-timeout: The wait timeout must be at least one millisecond
                    idempotency.wait-timeout=30d,       'idempotency.wait-timeout: The wait timeout must be at least one millisecond and at most 24d20h31m23s647ms, not 30d'
                    idempotency.max-response-size=0B,   idempotency.max-response-size must be more than zero
                    idempotency.purge.batch-size=0,     idempotency.purge.batch-size must be at least 1
                    idempotency.purge.batch-size=2000000000, idempotency.purge.batch-size must be at least 1 and at most 100000
                    idempotency.purge.interval=300000d, idempotency.purge.interval must be at least one millisecond and at most 365 days
                    idempotency.purge.pause=2h,         'idempotency.purge.pause must not be longer than one hour, but is 2h'
                    idempotency.purge.max-duration=999999999999d, idempotency.purge.max-duration must be at least one millisecond and at most 365 days
                    idempotency.sample-interval=300000d, 'idempotency.sample-interval must be at least one millisecond and at most 365 days, not 300000d'
                    idempotency.purge.interval=0s,      idempotency.purge.interval must be at least one millisecond
                    idempotency.purge.pause=-1ms,       idempotency.purge.pause must not be negative
                    idempotency.purge.max-duration=0s,  idempotency.purge.max-duration must be at least one millisecond
                    idempotency.purge.cron=hourly,      idempotency.purge.cron = 'hourly' is not a cron expression
                    idempotency.storage.processed-messages=year, Failed to bind
                    idempotency.storage.maintenance-interval=0s, idempotency.storage.maintenance-interval must be at least one millisecond
                    idempotency.sample-interval=0s,     idempotency.sample-interval must be at least one millisecond
                    idempotency.minimum-retention=0s,   idempotency.minimum-retention: The retention must be at least one millisecond
                    idempotency.inbox.retention-by-consumer.billing=0s, idempotency.inbox.retention-by-consumer.billing: The retention must be at least one millisecond
                    idempotency.schema=Bad-Name,        idempotency.schema = 'Bad-Name' is not a schema name
                    idempotency.schema=,                idempotency.schema = '' is not a schema name
                    idempotency.data-source=nowhere,    'idempotency.data-source = nowhere, but there is no DataSource'
                    """)
    void nonsenseIsReported(String property, String report) {
        application
                .withPropertyValues(property)
                .run(context -> assertThat(
                                StartupReport.of(context.getStartupFailure()).description())
                        .contains(report));
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    idempotency.retention=7,                idempotency.retention = 7,           7d
                    idempotency.retention=604800,           idempotency.retention = 604800,      604800s
                    idempotency.retention=${DAYS:7},        idempotency.retention = 7,           7d
                    idempotency.responseRetention=24,       idempotency.response-retention = 24, 24h
                    idempotency.minimum-retention= 7 ,      idempotency.minimum-retention = 7,   7d
                    idempotency.lease=60,                   idempotency.lease = 60,              60s
                    idempotency.retry.timeout=-30,          idempotency.retry.timeout = -30,     -30s
                    idempotency.inbox.retention=14,         idempotency.inbox.retention = 14,    14d
                    idempotency.inbox.retention-by-consumer.[a.B]=30, idempotency.inbox.retention-by-consumer[a.B] = 30, 30d
                    idempotency.outbox.retention=3,         idempotency.outbox.retention = 3,    3d
                    idempotency.purge.interval=1,           idempotency.purge.interval = 1,      1h
                    idempotency.storage.maintenance-interval=10, idempotency.storage.maintenance-interval = 10, 10m
                    """)
    void aDurationWithoutAUnitIsRefused(String property, String problem, String remedy) {
        application.withPropertyValues(property).run(context -> {
            StartupReport report = StartupReport.of(context.getStartupFailure());
            assertThat(report.description()).contains(problem + " has no unit, and would be milliseconds");
            assertThat(report.action()).contains(remedy);
        });
    }

    @Test
    void aDurationOfAnEnvironmentVariableOrAYamlFileNeedsAUnit() {
        Map<String, Object> values = Map.of("IDEMPOTENCY_INBOX_RETENTION", "14");
        application
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", values)))
                .run(context -> assertThat(
                                StartupReport.of(context.getStartupFailure()).description())
                        .contains("idempotency.inbox.retention = 14 has no unit"));
        application
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("yaml", Map.of("idempotency.retention", 7))))
                .run(context -> assertThat(
                                StartupReport.of(context.getStartupFailure()).description())
                        .contains("idempotency.retention = 7 has no unit"));
    }

    @Test
    void zeroIsoTextAndDurationsOfOthersNeedNoUnit() {
        application
                .withPropertyValues(
                        "idempotency.retry.timeout=0",
                        "idempotency.retention=P8D",
                        "idempotency.purge.cron=0 0 3 * * *",
                        "spring.lifecycle.timeout-per-shutdown-phase=5")
                .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .run(context -> {
                    IdempotencyProperties properties = context.getBean(IdempotencyProperties.class);
                    assertThat(properties.retry().timeout()).isZero();
                    assertThat(properties.retention()).isEqualTo(Duration.ofDays(8));
                    assertThat(context.getBean(LifecycleProperties.class).getTimeoutPerShutdownPhase())
                            .isEqualTo(Duration.ofMillis(5));
                });
    }

    @Test
    void intervalAndCronTogetherAreReported() {
        application
                .withPropertyValues("idempotency.purge.interval=1m", "idempotency.purge.cron=0 0 3 * * *")
                .run(context -> assertThat(
                                StartupReport.of(context.getStartupFailure()).description())
                        .contains("idempotency.purge.interval and idempotency.purge.cron exclude each other"));
    }

    @Test
    void cronStandsForTheInterval() {
        application.withPropertyValues("idempotency.purge.cron=0 0 3 * * *").run(context -> {
            IdempotencyPurgeProperties purge = context.getBean(IdempotencyPurgeProperties.class);
            assertThat(purge.cron()).isEqualTo("0 0 3 * * *");
            assertThat(purge.interval()).isNull();
        });
    }

    @Test
    void missingDataSourceIsReported() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyAutoConfiguration.class, IdempotencyMessagingStorageAutoConfiguration.class))
                .run(context -> {
                    StartupReport report = StartupReport.of(context.getStartupFailure());
                    assertThat(report.description()).contains("There is no DataSource");
                    assertThat(report.action()).contains("spring.datasource.url");
                });
    }

    @Test
    void severalDataSourcesWithoutAPrimaryOneAreReported() {
        application
                .withBean("other", DataSource.class, () -> new PGSimpleDataSource())
                .run(context -> {
                    StartupReport report = StartupReport.of(context.getStartupFailure());
                    assertThat(report.description()).contains("none of them is primary", "other");
                    assertThat(report.action()).contains("idempotency.data-source");
                });
    }

    @Test
    void eachOfAClosedSetHasItsValuesForEditors() throws IOException, ClassNotFoundException {
        Map<String, Set<String>> values = new TreeMap<>();
        Map<String, Set<String>> hints = new TreeMap<>();
        for (JsonNode metadata : metadata()) {
            for (JsonNode property : metadata.get("properties")) {
                String type = property.path("type").asString("");
                if (type.startsWith("io.idempotency.") && Class.forName(type).isEnum()) {
                    values.put(
                            property.get("name").asString(),
                            Stream.of(Class.forName(type).getEnumConstants())
                                    .map(value -> value.toString()
                                            .toLowerCase(Locale.ROOT)
                                            .replace('_', '-'))
                                    .collect(Collectors.toSet()));
                }
            }
            for (JsonNode hint : metadata.get("hints")) {
                if (hint.has("values")) {
                    hints.put(
                            hint.get("name").asString(),
                            Set.copyOf(hint.get("values").findValuesAsString("value")));
                }
            }
        }

        assertThat(hints).isEqualTo(values).containsKey("idempotency.outbox.sender");
    }

    /** Returns what the starters say to editors. */
    private static List<JsonNode> metadata() throws IOException {
        List<JsonNode> ofStarters = new ArrayList<>();
        for (URL file :
                Collections.list(IdempotencyProperties.class.getClassLoader().getResources(METADATA))) {
            try (InputStream content = file.openStream()) {
                JsonNode metadata = JsonMapper.shared().readTree(content);
                if (metadata.get("properties").findValuesAsString("name").stream()
                        .anyMatch(name -> name.startsWith("idempotency."))) {
                    ofStarters.add(metadata);
                }
            }
        }
        return ofStarters;
    }

    @Test
    void eachHasADescriptionForEditors() throws IOException {
        Map<String, String> descriptions = new TreeMap<>();
        for (JsonNode metadata : metadata()) {
            for (JsonNode property : metadata.get("properties")) {
                if (property.get("name").asString().startsWith("idempotency.")) {
                    descriptions.put(
                            property.get("name").asString().substring("idempotency.".length()),
                            property.path("description").asString(""));
                }
            }
        }

        assertThat(descriptions)
                .containsOnlyKeys("""
                        application data-source enabled lease max-lease max-response-size max-waiting max-waiting-in-all migrate
                        minimum-retention record-failed-attempts response-retention retention sample-interval schema
                        sql-functions verify-engine verify-responses wait-timeout
                        health.max-outbox-age health.max-purge-delay health.max-sample-age
                        http.caller http.documentation-url http.failure-status http.header-name http.problem-details
                        http.problem-type-base http.replay-headers http.replayed-header-name http.require-caller
                        http.retry-status http.strict
                        inbox.retention inbox.retention-by-consumer
                        logging.keys
                        migration.password migration.url migration.user
                        outbox.batch-size outbox.enabled outbox.handler-threads outbox.lanes outbox.max-attempts
                        outbox.max-payload-size outbox.notifications outbox.poll-interval outbox.relay outbox.retention
                        outbox.sample-interval outbox.send-timeout outbox.sender
                        outbox.backoff.delay outbox.backoff.max-delay outbox.backoff.multiplier
                        outbox.rabbit.exchange outbox.rabbit.routes
                        purge.archive purge.batch-size purge.cron purge.enabled purge.interval purge.max-duration purge.pause
                        resume.enabled
                        retry.delay retry.max-attempts retry.max-delay retry.multiplier retry.timeout
                        storage.maintenance storage.maintenance-interval storage.maintenance-role storage.processed-messages
                        tracing.keys
                        """.strip().split("\\s+"))
                .allSatisfy((name, description) -> assertThat(description).endsWith("."));
    }
}
