package io.idempotency.proof.shop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;
import org.postgresql.Driver;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.proof.EffectProbe;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** Applications, databases and test classes that are not the usual ones. */
@Tag("full")
class ProofEdgesTest {

    private static final AtomicInteger SET_UP = new AtomicInteger();

    private static final AtomicInteger SCHEDULED = new AtomicInteger();

    private static EmbeddedPostgres server;

    private static Map<String, List<String>> messages;

    @BeforeAll
    static void run() throws IOException, SQLException {
        server = EmbeddedPostgres.builder()
                .setServerConfig("wal_level", "logical")
                .setServerConfig("fsync", "off")
                .start();
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database unusual");
            statement.execute("create database occupied");
        }
        messages = messages(events(UnusualScenarios.class));
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @Test
    void aScenarioThatChangesNothingProvesNothing() {
        assertThat(messages.get("changesNothing"))
                .singleElement()
                .asString()
                .startsWith("changesNothing proves nothing: without a fault it commits no change of a row");
    }

    @Test
    void aPayloadThatTheFingerprintDoesNotHaveIsReported() {
        assertThat(messages.get("payloadIsIgnored"))
                .singleElement()
                .asString()
                .startsWith("payloadIsIgnored: after a repeat with another payload nothing was refused");
    }

    @Test
    void theWriterOfAPartitionIsFound() {
        assertThat(messages.get("partitioned"))
                .isNotEmpty()
                .allMatch(message -> message.contains(
                        ": it is written in a transaction of its own (REQUIRES_NEW) at ProofEdgesTest.java:"))
                .anyMatch(message -> message.contains(" a row of parted was written twice: "));
    }

    @Test
    void anEffectThatIsLostIsReported() {
        assertThat(messages.get("effectAfterCommit"))
                .isNotEmpty()
                .allMatch(message -> message.contains(
                        "the effect 'mail' was not seen: the call that makes it is lost with the fault at"
                                + " ProofEdgesTest.java:"));
    }

    @Test
    void unusualTablesAreNoFinding() {
        assertThat(messages).containsOnlyKeys("changesNothing", "payloadIsIgnored", "partitioned", "effectAfterCommit");
    }

    @Test
    void whatRunsByTheClockDoesNotRun() {
        assertThat(SCHEDULED).hasValue(0);
    }

    @Test
    void theTestClassIsExtendedAsUsual() {
        assertThat(SET_UP).hasValue(1);
        assertThat(events(DisabledScenarios.class).skipped().count()).isOne();
    }

    @Test
    void aTestClassWithTransactionsIsRefused() {
        assertThat(messages(events(TransactionalScenarios.class)).toString())
                .contains("is @Transactional: nothing would be committed");
    }

    @Test
    void anInnerTestClassHasASecondInstanceToo() {
        Events tests = events(OuterTest.class);

        assertThat(tests.failed().list()).isEmpty();
        assertThat(tests.succeeded().map(event -> event.getTestDescriptor().getDisplayName()))
                .contains("node: second instance");
    }

    @Test
    void scenariosThatNothingWouldRunAreRefused() {
        assertThat(messages(events(WithoutInterface.class)).toString())
                .contains(
                        "has methods with @IdempotencyScenario, which nothing runs unless it implements IdempotencyProof");
    }

    /** Spring does not come to a nested class that has scenarios alone. */
    @Test
    void scenariosOfANestedClassThatNothingWouldRunAreRefused() {
        assertThat(messages(events(WithNestedScenarios.class)).toString())
                .contains("$Inner has methods with @IdempotencyScenario, which nothing runs unless it implements");
    }

    @Test
    void anOpenTransactionOfAnotherDatabaseIsNamed() throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("set application_name = 'somebody else'");
            statement.execute("create temporary table open (id int)");

            assertThat(messages(events(OccupiedScenarios.class)).toString())
                    .contains(
                            "a transaction remains open on the server, perhaps in another database",
                            " (postgres, somebody else): create temporary table open (id int)");
        }
    }

    @Test
    void twoProofsInOneDatabaseAreRefused() throws SQLException {
        try (Connection connection = server.getDatabase("postgres", "occupied").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select pg_advisory_lock(2154005349942296576)");

            statement.execute("create schema idempotency_proof");
            assertThat(messages(events(OccupiedScenarios.class)).toString())
                    .contains(
                            "/occupied (the application's own DataSource bean 'sameDatabase'",
                            "cannot prove anything: another proof is running in it")
                    .doesNotContain("occupied?");
            statement.execute("drop schema idempotency_proof");
        }
    }

    @Test
    void aReportThatCannotBeWrittenLeavesNothingOpen() throws IOException, SQLException {
        Path report = Path.of("target/idempotency", OccupiedScenarios.class.getName() + ".changesNothing.html");
        Files.deleteIfExists(report);
        Files.createDirectories(report);
        try {
            events(OccupiedScenarios.class);
        } finally {
            Files.delete(report);
        }

        try (Connection connection = server.getDatabase("postgres", "occupied").getConnection();
                Statement statement = connection.createStatement();
                ResultSet copies =
                        statement.executeQuery("select 1 from pg_namespace where nspname = 'idempotency_proof'")) {
            assertThat(copies.next()).isFalse();
        }
    }

    @Test
    void theCommitThatTravelsWithTheRowIsBrokenToo() {
        Events tests = events(OptimisticScenarios.class);

        assertThat(tests.failed().list()).isEmpty();
        assertThat(tests.succeeded().map(event -> event.getTestDescriptor().getDisplayName()))
                .contains(
                        "invoice: before COMMIT: the connection was cut, and the server never saw it",
                        "invoice: after COMMIT: the connection was cut, and its answer was lost")
                .noneMatch(name -> name.contains("into \"idempotency\".idempotency_request"));
    }

    private static Events events(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute()
                .allEvents();
    }

    private static Map<String, List<String>> messages(Events events) {
        return events.failed().stream()
                .collect(Collectors.groupingBy(
                        failed -> failed.getTestDescriptor()
                                .getParent()
                                .orElseThrow()
                                .getDisplayName(),
                        Collectors.mapping(ProofEdgesTest::message, Collectors.toList())));
    }

    private static String message(Event failed) {
        Throwable failure = failed.getRequiredPayload(TestExecutionResult.class)
                .getThrowable()
                .orElseThrow();
        return failure.getMessage() + " " + failure.getCause();
    }

    private static void connect(DynamicPropertyRegistry properties, String database) {
        properties.add("spring.datasource.url", () -> server.getJdbcUrl("postgres", database));
        properties.add("spring.datasource.username", () -> "postgres");
    }

    /** The tables of the library are between those of the application, to which two URLs lead. */
    @SpringBootTest(
            classes = Unusual.class,
            properties = {
                "idempotency.schema=public",
                "spring.sql.init.mode=always",
                "spring.sql.init.schema-locations=classpath:unusual.sql",
                "spring.jpa.hibernate.ddl-auto=none"
            })
    static class UnusualScenarios implements IdempotencyProof {

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry properties) {
            connect(properties, "unusual");
        }

        @BeforeEach
        void setUp() {
            SET_UP.incrementAndGet();
        }

        @IdempotencyScenario
        void changesNothing(UnusualShop shop) {
            shop.changeNothing("key-1");
        }

        @IdempotencyScenario
        void payloadIsIgnored(UnusualShop shop, Payload payload) {
            shop.ignorePayload("key-1", payload.either("one", "other"));
        }

        @IdempotencyScenario
        void partitioned(UnusualShop shop) {
            shop.writePartition("key-1");
        }

        @IdempotencyScenario
        void effectAfterCommit(UnusualShop shop) {
            shop.mailAfterCommit("key-1");
        }

        @IdempotencyScenario
        void droppedColumn(UnusualShop shop) {
            shop.writeDropped("key-1");
        }

        @IdempotencyScenario
        Object invoiceNumber(UnusualShop shop) {
            return shop.invoice("key-1");
        }
    }

    @SpringBootTest(classes = Unusual.class)
    @Disabled("to see that it is not run")
    static class DisabledScenarios implements IdempotencyProof {

        @IdempotencyScenario
        void changesNothing(UnusualShop shop) {
            shop.changeNothing("key-1");
        }
    }

    @SpringBootTest(classes = Unusual.class)
    static class WithoutInterface {

        @Test
        void usualTest() {}

        @IdempotencyScenario
        void changesNothing(UnusualShop shop) {
            shop.changeNothing("key-1");
        }
    }

    @SpringBootTest(classes = Unusual.class)
    static class WithNestedScenarios implements IdempotencyProof {

        @IdempotencyScenario
        void changesNothing(UnusualShop shop) {
            shop.changeNothing("key-1");
        }

        @Nested
        class Inner {

            @IdempotencyScenario
            void changesNothing(UnusualShop shop) {
                shop.changeNothing("key-1");
            }
        }
    }

    @SpringBootTest(classes = Unusual.class, properties = "spring.jpa.hibernate.ddl-auto=none")
    static class OccupiedScenarios implements IdempotencyProof {

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry properties) {
            connect(properties, "occupied");
        }

        @IdempotencyScenario
        void changesNothing(UnusualShop shop) {
            shop.changeNothing("key-1");
        }
    }

    @SpringBootTest(classes = Unusual.class)
    @Transactional
    static class TransactionalScenarios implements IdempotencyProof {

        @IdempotencyScenario
        void changesNothing(UnusualShop shop) {
            shop.changeNothing("key-1");
        }
    }

    @SpringBootTest(
            classes = Unusual.class,
            properties = {
                "spring.sql.init.mode=always",
                "spring.sql.init.schema-locations=classpath:unusual.sql",
                "spring.jpa.hibernate.ddl-auto=none"
            })
    static class OuterTest {

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry properties) {
            connect(properties, "occupied");
        }

        @Nested
        class Inner implements IdempotencyProof {

            /** Each instance has another node, each call another header. */
            @IdempotencyScenario
            Object node(UnusualShop shop) {
                String node = shop.writeNode("key-1");
                return ResponseEntity.ok()
                        .header("Date", Instant.now().toString())
                        .body(node);
            }
        }
    }

    @SpringBootTest(
            classes = Unusual.class,
            properties = {
                "spring.sql.init.mode=always",
                "spring.sql.init.schema-locations=classpath:unusual.sql",
                "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                        + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration"
            })
    static class OptimisticScenarios implements IdempotencyProof {

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry properties) {
            connect(properties, "occupied");
        }

        @IdempotencyScenario
        Object invoice(UnusualShop shop) {
            return shop.invoiceOptimistically("key-1");
        }

        @Nested
        class Usual {

            @Test
            void hasTheApplicationOfTheScenarios(@Autowired EffectProbe probe) {
                assertThat(probe).isNotNull();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import({UnusualShop.class, Partition.class})
    static class Unusual {

        @Bean(defaultCandidate = false)
        DataSource sameDatabase(DataSource dataSource) throws SQLException {
            try (Connection connection = dataSource.getConnection()) {
                return new SimpleDriverDataSource(
                        new Driver(), connection.getMetaData().getURL() + "&ApplicationName=other");
            }
        }

        @Scheduled(fixedDelay = 1)
        void beScheduled() {
            SCHEDULED.incrementAndGet();
        }
    }

    @Service
    static class UnusualShop {

        private final JdbcTemplate jdbc;

        private final Partition partition;

        private final ApplicationEventPublisher events;

        private final EffectProbe probe;

        private final String node = UUID.randomUUID().toString();

        UnusualShop(JdbcTemplate jdbc, Partition partition, ApplicationEventPublisher events, EffectProbe probe) {
            this.jdbc = jdbc;
            this.partition = partition;
            this.events = events;
            this.probe = probe;
        }

        @Transactional
        @Idempotent(scope = "u-nothing", key = "#key")
        public void changeNothing(String key) {
            jdbc.queryForList("select 1");
        }

        @Transactional
        @Idempotent(scope = "u-payload", key = "#key", fingerprint = "''")
        public void ignorePayload(String key, String payload) {
            jdbc.update("insert into dropped (text) values (?)", payload);
        }

        @Transactional
        @Idempotent(scope = "u-partition", key = "#key")
        public void writePartition(String key) {
            partition.write();
            writeDropped();
        }

        @Transactional
        @Idempotent(scope = "u-mail", key = "#key")
        public void mailAfterCommit(String key) {
            writeDropped();
            events.publishEvent(new Committed());
        }

        @TransactionalEventListener
        public void on(Committed event) {
            probe.saw("mail", "mail-1");
        }

        @Transactional
        @Idempotent(scope = "u-dropped", key = "#key")
        public void writeDropped(String key) {
            writeDropped();
        }

        @Transactional
        @Idempotent(scope = "u-node", key = "#key")
        public String writeNode(String key) {
            jdbc.update(
                    "insert into dropped (text) values (?)",
                    node + Thread.currentThread().getName());
            return node;
        }

        @Transactional
        @Idempotent(scope = "u-invoice", key = "#key")
        public String invoice(String key) {
            return invoice();
        }

        @Transactional
        @Idempotent(scope = "u-optimistic-invoice", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String invoiceOptimistically(String key) {
            return invoice();
        }

        private String invoice() {
            return jdbc.queryForObject(
                    "insert into invoice values ('INV-' || nextval('invoice_number'), now()) returning number",
                    String.class);
        }

        private void writeDropped() {
            jdbc.update("insert into dropped (text) values ('text')");
        }
    }

    record Committed() {}

    @Service
    static class Partition {

        private final JdbcTemplate jdbc;

        Partition(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void write() {
            jdbc.update("insert into parted (day, text) values (current_date, 'text')");
        }
    }
}
