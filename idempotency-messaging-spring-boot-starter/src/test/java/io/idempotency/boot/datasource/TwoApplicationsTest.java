package io.idempotency.boot.datasource;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.OtherApplicationException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Applications with one schema, each of which uses the name {@code orders}. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class TwoApplicationsTest {

    private static final Class<?>[] ALL = {Scope.class, Receiver.class, Handler.class};

    private static final Class<?>[] NONE = {};

    /** Uses of names that are only known at run time, keyed by kind and name. */
    private static final Map<String, Consumer<ConfigurableApplicationContext>> RUN_TIME_USES = Map.of(
            "scope call",
            application ->
                    operations(application).call("call", "key", "request").run(() -> {}),
            "scope write",
            application -> operations(application)
                    .write("write", "key", "request")
                    .statement("select 1", Map.of())
                    .run(),
            "scope joined",
            application -> transaction(application)
                    .executeWithoutResult(status -> operations(application)
                            .call("joined", "key", "request")
                            .run(() -> {})),
            "consumer message",
            application -> application.getBean(Inbox.class).handleOnce("message", "id", () -> {}),
            "consumer batch",
            application -> transaction(application)
                    .executeWithoutResult(
                            status -> application.getBean(Inbox.class).claimNew("batch", List.of("id"), id -> id)),
            "topic published",
            application -> transaction(application)
                    .executeWithoutResult(status -> application
                            .getBean(Outbox.class)
                            .publish(OutboxMessage.of("published", "Type")
                                    .withoutPayload()
                                    .build())));

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    TwoApplicationsTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @BeforeEach
    void forget() {
        jdbc.execute("truncate idempotency.owner, idempotency.idempotency_request, idempotency.processed_message,"
                + " idempotency.outbox_event");
    }

    @Test
    void declaredNamesOfAnotherApplicationAreRefusedAtStartUp() {
        start("billing", ALL).close();

        StartupReport report = StartupReport.of(() -> start("shop", ALL));

        assertThat(report.description())
                .isEqualTo(
                        "Other applications with the schema 'idempotency' own the consumer 'orders' (of 'billing'), the"
                                + " consumer 'shipping' (of 'billing'), the scope 'orders' (of 'billing'), the topic 'orders' (of"
                                + " 'billing'). This application is 'shop': each would take the other's keys and messages for its"
                                + " own.");
        assertThat(report.action())
                .startsWith(
                        "Give this application a schema of its own with idempotency.schema. Or, if it shares keys and"
                                + " messages with 'billing' on purpose, give both the same idempotency.application.");
    }

    @Test
    void idempotencyApplicationOverridesTheNameOfSpring() {
        start("orders-web", ALL, "idempotency.application=orders").close();
        start("orders-worker", ALL, "idempotency.application=orders").close();

        assertThat(owners())
                .containsExactly(
                        "consumer orders orders",
                        "consumer shipping orders",
                        "scope orders orders",
                        "topic orders orders");
    }

    @Test
    @Tag("full")
    void applicationsWithoutANameAreWarned(CapturedOutput output) {
        start("", ALL).close();
        assertThat(output).containsOnlyOnce("This application has no name, so another one without a name");

        start("billing", ALL).close();
        assertThat(output).containsOnlyOnce("This application has no name, so");
        StartupReport report = StartupReport.of(() -> start("", ALL));
        assertThat(report.description()).contains("This application has no name:");
        assertThat(report.action())
                .isEqualTo("Name this application with spring.application.name, or give it a schema of its own with"
                        + " idempotency.schema.");
    }

    @Test
    void namesThatAreKnownAtRunTimeAreRecordedAtTheirFirstUse() {
        try (ConfigurableApplicationContext billing = start("billing", NONE);
                ConfigurableApplicationContext shop = start("shop", NONE)) {
            assertThat(RUN_TIME_USES).allSatisfy((recorded, use) -> {
                forget();
                use.accept(billing);
                use.accept(billing);

                assertThat(owners()).containsExactly(recorded + " billing");
                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(() -> use.accept(shop))
                            .isInstanceOf(OtherApplicationException.class)
                            .hasMessageStartingWith("Other applications with the schema 'idempotency' own the "
                                    + recorded.replace(" ", " '")
                                    + "' (of 'billing'). This application is 'shop': each would"
                                    + " take the other's keys and messages for its own. Give this application a schema of its"
                                    + " own");
                }
                jdbc.update("update idempotency.owner set application = 'shop'");
                use.accept(shop);
            });
        }
    }

    /** Each of them holds the only connection, and would wait for a second one. */
    @Test
    @Tag("full")
    void aPoolOfOneConnectionDoesNotKeepAMessageFromBeingPublished(CapturedOutput output) {
        try (ConfigurableApplicationContext billing = start(
                "billing",
                NONE,
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=250",
                "idempotency.outbox.relay=false")) {
            for (int i = 0; i < 2; i++) {
                transaction(billing)
                        .executeWithoutResult(status -> billing.getBean(Outbox.class)
                                .publish(OutboxMessage.of("late", "Type")
                                        .withoutPayload()
                                        .build()));
            }

            assertThat(jdbc.queryForObject("select count(*) from idempotency.outbox_event", Long.class))
                    .isEqualTo(2);
            assertThat(output)
                    .containsOnlyOnce("It is not known whether the topic 'late' belongs to this application, because");
        }
    }

    private ConfigurableApplicationContext start(String name, Class<?>[] beans, String... properties) {
        return JdbcTestApplication.start(
                database,
                Stream.concat(Stream.of(WithOutbox.class), Stream.of(beans)).toArray(Class<?>[]::new),
                JdbcTestApplication.and(properties, "spring.application.name=" + name));
    }

    private List<String> owners() {
        return jdbc.queryForList(
                "select concat_ws(' ', kind, name, application) from idempotency.owner order by kind, name",
                String.class);
    }

    private static IdempotencyOperations operations(ConfigurableApplicationContext application) {
        return application.getBean(IdempotencyOperations.class);
    }

    private static TransactionTemplate transaction(ConfigurableApplicationContext application) {
        return new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class WithOutbox {}

    static class Scope {

        @Transactional
        @Idempotent(scope = "orders", key = "#key")
        public void order(String key) {}
    }

    static class Receiver {

        @Transactional
        @IdempotentReceiver(consumer = "orders", messageId = "#id")
        public void receive(String id) {}
    }

    static class Handler {

        @OutboxHandler(topic = "orders", consumer = "shipping")
        void handle(Map<String, Object> order) {}
    }
}
