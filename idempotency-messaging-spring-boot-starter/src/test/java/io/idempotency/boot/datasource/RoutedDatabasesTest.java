package io.idempotency.boot.datasource;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.RequestInProgressException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.inbox.Inbox;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Each tenant has a database of its own, so that equal keys of two tenants have nothing to do with each other. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RoutedDatabasesTest {

    private static final ThreadLocal<String> TENANT = ThreadLocal.withInitial(() -> "red");

    private final Map<String, TestDatabase> databases;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private ConfigurableApplicationContext application;

    private Purchases purchases;

    RoutedDatabasesTest(TestDatabase red) {
        this.databases = Map.of("red", red, "blue", TestDatabase.create());
    }

    @BeforeAll
    void start() {
        for (TestDatabase database : databases.values()) {
            database.jdbc().execute("create table purchase (id int generated always as identity, tenant text)");
            // Migrates its tables: the routed application migrates those of its default only.
            JdbcTestApplication.start(database, new Class<?>[0]).close();
        }
        Routed.red = databases.get("red").dataSource();
        Routed.blue = databases.get("blue").dataSource();
        Routed.anotherWayToRed = anotherWayTo(databases.get("red").springProperties());
        application = startRouted("idempotency.purge.enabled=false");
        purchases = application.getBean(Purchases.class);
    }

    private static DataSource anotherWayTo(Map<String, Object> database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.get("spring.datasource.url").toString());
        dataSource.setUser(String.valueOf(database.get("spring.datasource.username")));
        dataSource.setPassword(String.valueOf(database.get("spring.datasource.password")));
        dataSource.setApplicationName("another-way");
        return dataSource;
    }

    private ConfigurableApplicationContext startRouted(String... properties) {
        return JdbcTestApplication.start(
                databases.get("red"),
                new Class<?>[] {Routed.class, Purchases.class, WithOutbox.class},
                JdbcTestApplication.and(properties, "idempotency.wait-timeout=300ms"));
    }

    @AfterAll
    void stop() {
        threads.shutdownNow();
        application.close();
        databases.get("blue").close();
    }

    @AfterEach
    void forgetEverything() {
        Purchases.meanwhile = () -> {};
        for (TestDatabase database : databases.values()) {
            database.jdbc()
                    .execute("truncate purchase, idempotency.idempotency_request, idempotency.processed_message,"
                            + " idempotency.outbox_event");
        }
    }

    @Test
    void eachTenantHasItsOwnEffectAndReplay() throws Exception {
        assertThat(as("red", () -> purchases.buy("key"))).isEqualTo("red");
        assertThat(as("blue", () -> purchases.buy("key"))).isEqualTo("blue");

        assertThat(as("red", () -> purchases.buy("key"))).isEqualTo("red");
        assertThat(as("blue", () -> purchases.buy("key"))).isEqualTo("blue");
        requireOneOfEach();
    }

    List<Named<Callable<?>>> slowWork() {
        Inbox inbox = application.getBean(Inbox.class);
        return List.of(
                Named.of("call", () -> purchases.buy("key")),
                Named.of("leased call", () -> purchases.buyLeased("key")),
                Named.of("message", () -> inbox.handleOnce("consumer", "id", purchases::insert)));
    }

    @ParameterizedTest
    @MethodSource("slowWork")
    void slowWorkOfOneTenantHoldsUpNoOther(Callable<?> work) throws Exception {
        whileRedIs(work, () -> {
            assertThat((Object) as("blue", work)).isIn("blue", true);
            assertThatThrownBy(() -> as("red", work)).isInstanceOf(RequestInProgressException.class);
        });
    }

    /** In the tenant's database, which the thread that renews does not choose. */
    @Test
    void theLeaseOfATenantIsRenewedInItsDatabase() throws Exception {
        String isRenewed = "select locked_until > claimed_at + interval '2 s' from idempotency.idempotency_request";
        Purchases.meanwhile =
                () -> await().until(() -> databases.get("blue").jdbc().queryForObject(isRenewed, Boolean.class));

        assertThat(as("blue", () -> purchases.buyLeasedBriefly("key"))).isEqualTo("blue");
    }

    List<Named<Callable<?>>> callsInTheirOwnTransaction() {
        return List.of(
                Named.of("transactional", () -> purchases.buyInNewTransaction("key")),
                Named.of("leased", () -> purchases.buyLeased("key")));
    }

    @ParameterizedTest
    @MethodSource("callsInTheirOwnTransaction")
    void theKeyThatOneTenantHoldsIsFreeForAnotherOnTheSameThread(Callable<?> call) throws Exception {
        Purchases.meanwhile = () -> {
            Purchases.meanwhile = () -> {};
            assertThat((Object) as("blue", call)).isEqualTo("blue");
        };

        assertThat((Object) as("red", call)).isEqualTo("red");

        requireOneOfEach();
    }

    @Test
    void aMessageThatNoRelayWouldReadIsRefused() throws Exception {
        assertThatThrownBy(() -> as("blue", () -> purchases.publish(application)))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContainingAll(
                        "No message can be published in the database '" + nameOf("blue") + "'",
                        "the relay of this process reads another one, '" + nameOf("red") + "'",
                        "set idempotency.outbox.relay = false here");

        as("red", () -> purchases.publish(application));
        as("another way to red", () -> purchases.publish(application));
        assertThat(messages("red")).isEqualTo(2);
        assertThat(messages("blue")).isZero();
        assertThat(databases.get("blue").jdbc().queryForList("select * from purchase"))
                .isEmpty();

        try (ConfigurableApplicationContext withoutRelay = startRouted("idempotency.outbox.relay=false")) {
            as("blue", () -> withoutRelay.getBean(Purchases.class).publish(withoutRelay));
        }
        assertThat(messages("blue")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theStartSaysThatOneDatabaseOnlyIsPurged(boolean severalDatabases, CapturedOutput output) {
        DataSource blue = Routed.blue;
        Routed.blue = severalDatabases ? blue : Routed.red;
        databases.get("red").jdbc().execute("truncate idempotency.purge_lease");
        try (ConfigurableApplicationContext other = startRouted("idempotency.purge.interval=100ms")) {
            await().until(() -> other.isActive()
                    && databases
                                    .get("red")
                                    .jdbc()
                                    .queryForObject("select count(*) from idempotency.purge_lease", Long.class)
                            > 0);
            if (severalDatabases) {
                assertThat(output)
                        .contains(
                                "The DataSource of the idempotency tables chooses between several databases",
                                "such as '" + nameOf("blue") + "', to which the key 'blue' leads");
            } else {
                assertThat(output).doesNotContain("chooses between several databases");
            }
        } finally {
            Routed.blue = blue;
        }
    }

    private String nameOf(String tenant) {
        return databases.get(tenant).jdbc().queryForObject("select current_database()", String.class);
    }

    private long messages(String tenant) {
        return databases.get(tenant).jdbc().queryForObject("select count(*) from idempotency.outbox_event", Long.class);
    }

    private void whileRedIs(Callable<?> slowCall, Work work) throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Purchases.meanwhile = () -> {
            Purchases.meanwhile = () -> {};
            started.countDown();
            assertThat(over.await(20, TimeUnit.SECONDS)).isTrue();
        };
        Future<?> slow = threads.submit(() -> as("red", slowCall));
        assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
        try {
            work.run();
        } finally {
            over.countDown();
        }
        slow.get(20, TimeUnit.SECONDS);
        requireOneOfEach();
    }

    private static <T> T as(String tenant, Callable<T> call) throws Exception {
        String before = TENANT.get();
        TENANT.set(tenant);
        try {
            return call.call();
        } finally {
            TENANT.set(before);
        }
    }

    private void requireOneOfEach() {
        databases.forEach((tenant, database) -> assertThat(
                        database.jdbc().queryForList("select tenant from purchase", String.class))
                .containsExactly(tenant));
    }

    @FunctionalInterface
    private interface Work {

        void run() throws Exception;
    }

    static class Purchases {

        private final JdbcTemplate jdbc;

        private static volatile Work meanwhile = () -> {};

        Purchases(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "purchases", key = "#key")
        public String buy(String key) throws Exception {
            return insert();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(scope = "new-purchases", key = "#key")
        public String buyInNewTransaction(String key) throws Exception {
            return insert();
        }

        @Idempotent(scope = "leased-purchases", key = "#key", mode = IdempotencyMode.LEASED)
        public String buyLeased(String key) throws Exception {
            return insert();
        }

        @Idempotent(scope = "brief-purchases", key = "#key", mode = IdempotencyMode.LEASED, lease = "1s")
        public String buyLeasedBriefly(String key) throws Exception {
            return insert();
        }

        Object publish(ConfigurableApplicationContext application) {
            return new TransactionTemplate(application.getBean(PlatformTransactionManager.class)).execute(status -> {
                jdbc.update("insert into purchase (tenant) values (?)", TENANT.get());
                return application
                        .getBean(Outbox.class)
                        .publish(OutboxMessage.of("orders", "OrderPlaced")
                                .payload("book")
                                .build());
            });
        }

        String insert() throws Exception {
            meanwhile.run();
            return jdbc.queryForObject(
                    "insert into purchase (tenant) values (?) returning tenant", String.class, TENANT.get());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Routed {

        static DataSource red;

        static DataSource blue;

        static DataSource anotherWayToRed;

        @Bean
        DataSource routingDataSource() {
            return new Routing(
                    TENANT::get, Map.of("red", red, "blue", blue, "another way to red", anotherWayToRed), red);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class WithOutbox {

        @OutboxHandler(topic = "orders")
        void handle(String payload) {}
    }
}
