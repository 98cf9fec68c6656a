package io.idempotency.internal.ownership;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.OtherApplicationException;
import io.idempotency.internal.ownership.OwnerStore.ForeignName;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Applications with one schema that use the same names. */
@PostgresTest
class NameOwnersTest {

    private static final String DATABASE = "";

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    NameOwnersTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void forget() {
        jdbc.execute("truncate idempotency.owner");
    }

    @ParameterizedTest
    @CsvSource({
        "billing, billing, billing, ",
        "billing, Billing, billing, is 'Billing'",
        "billing, shop, billing, is 'shop'",
        "o'brien, o\\brien, o'brien, is 'o\\brien'",
        "'', '', '', ",
        "'', billing, billing, ",
        "billing, '', billing, has no name",
    })
    void aNameBelongsToTheFirstApplicationThatHasAName(String first, String second, String owner, String refusal) {
        start(first, "scope orders");

        if (refusal == null) {
            start(second, "scope orders");
            owners(second).require(DATABASE, "scope", "orders");
        } else {
            assertThatThrownBy(() -> start(second, "scope orders"))
                    .isInstanceOf(IdempotencyStartupException.class)
                    .hasMessageStartingWith(
                            "Other applications with the schema 'idempotency' own the scope 'orders' (of '" + first
                                    + "'). This application " + refusal + ":");
            assertThatThrownBy(() -> owners(second).require(DATABASE, "scope", "orders"))
                    .isInstanceOf(OtherApplicationException.class)
                    .hasMessageContaining("This application " + refusal + ":");
        }
        assertThat(recorded()).containsExactly("scope orders " + owner);
    }

    @Test
    void oneReportListsAllNamesAndARefusedStartKeepsNone() {
        start("billing", "scope orders");
        start("sales", "consumer orders");

        IdempotencyStartupException refused = catchThrowableOfType(
                IdempotencyStartupException.class,
                () -> start("shop", "topic orders", "scope orders", "consumer orders", "scope other"));

        assertThat(refused.problem())
                .isEqualTo(
                        "Other applications with the schema 'idempotency' own the consumer 'orders' (of 'sales'), the"
                                + " scope 'orders' (of 'billing'). This application is 'shop': each would take the other's keys and"
                                + " messages for its own.");
        assertThat(refused.action())
                .isEqualTo(
                        "Give this application a schema of its own with idempotency.schema. Or, if it shares keys and"
                                + " messages with 'billing' or 'sales' on purpose, give both the same idempotency.application. If"
                                + " 'billing' or 'sales' was renamed or has handed over these names, stop it and run: update"
                                + " \"idempotency\".owner set application = 'shop' where (kind, name) in (('consumer', 'orders'),"
                                + " ('scope', 'orders')). If it does not use them any more, run: delete from"
                                + " \"idempotency\".owner where (kind, name) in (('consumer', 'orders'), ('scope', 'orders')).");
        assertThat(recorded()).containsExactly("consumer orders sales", "scope orders billing");
    }

    @ParameterizedTest
    @CsvSource({"update, o'brien", "delete, billing"})
    void theQuotedStatementsLetARenamedApplicationStart(String statement, String first) {
        start(first, "scope it's", "scope kept");
        String action = catchThrowableOfType(IdempotencyStartupException.class, () -> start("new's", "scope it's"))
                .action();

        String sql = action.substring(action.indexOf("run: " + statement) + 5);
        jdbc.execute(sql.substring(0, sql.indexOf("))") + 2));

        start("new's", "scope it's");
        assertThat(recorded()).containsExactlyInAnyOrder("scope it's new's", "scope kept " + first);
    }

    @Test
    @Tag("full")
    void namesWithoutEndDoNotFillTheTableAndThoseOfOthersAreStillRefused() {
        start("billing", "scope orders");
        NameOwners shop = owners("shop");

        for (int i = 0; i < 10_005; i++) {
            shop.require(DATABASE, "scope", "order-" + i);
        }

        assertThat(recorded()).hasSize(10_001);
        shop.require(DATABASE, "scope", "order-10004");
        assertThatThrownBy(() -> shop.require(DATABASE, "scope", "orders"))
                .isInstanceOf(OtherApplicationException.class);
    }

    @Test
    @Tag("race")
    void ofTwoApplicationsThatStartTogetherOneWins() {
        for (int round = 0; round < 20; round++) {
            forget();

            CallResults<Void> starts = ConcurrentCalls.run(4, index -> {
                start(index % 2 == 0 ? "billing" : "shop", "scope a", "scope b", "scope c");
                return null;
            });

            assertThat(starts.failures())
                    .hasSize(2)
                    .allSatisfy(failure -> assertThat(failure).isInstanceOf(IdempotencyStartupException.class));
            assertThat(jdbc.queryForList("select distinct application from idempotency.owner", String.class))
                    .hasSize(1);
        }
    }

    /** The order of a set is another one in each JVM. A third one holds the name in the middle until both wait. */
    @Test
    @Tag("race")
    void instancesThatStartTogetherDoNotWaitForEachOther() throws SQLException {
        OwnerStore store = storeOf(database.dataSource());
        RequiresNewTransaction transactions = RequiresNewTransaction.readCommittedOn(database.dataSource());
        List<OwnedName> ascending = names("scope a", "scope m", "scope z");
        List<OwnedName> descending = names("scope z", "scope m", "scope a");
        ConcurrentCalls<List<ForeignName>> starts;
        try (Connection middle = database.connection()) {
            middle.setAutoCommit(false);
            store.record(middle, "billing", names("scope m"));
            starts = ConcurrentCalls.start(
                    2,
                    index -> transactions.call(
                            connection -> store.record(connection, "billing", index == 0 ? ascending : descending)));
            database.backends().awaitBlocked(2);
            middle.rollback();
        }

        starts.await().requireAllSucceeded();
        assertThat(recorded()).hasSize(3);
    }

    @Test
    void aNameIsAskedForOnce() {
        HikariDataSource pool = database.dataSource(1);
        NameOwners billing = owners("billing", pool);
        billing.require(DATABASE, "scope", "orders");
        billing.require("other database", "scope", "orders");
        pool.close();

        billing.require(DATABASE, "scope", "orders");
        billing.require("other database", "scope", "orders");
        assertThatThrownBy(() -> billing.require(DATABASE, "topic", "orders"))
                .as("another kind")
                .hasMessageContaining("Could not open JDBC Connection");
        assertThatThrownBy(() -> billing.require(null, "scope", "orders2"))
                .hasMessageContaining("Could not open JDBC Connection");
    }

    @ParameterizedTest
    @CsvSource({"2, true", "3, false"})
    void aQuestionWhoseConnectionIsLostIsAskedAgain(int lost, boolean isAnswered) {
        AtomicInteger left = new AtomicInteger(lost);
        NameOwners billing = owners("billing", new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                if (left.getAndDecrement() > 0) {
                    int pid = connection.unwrap(PGConnection.class).getBackendPID();
                    jdbc.queryForObject("select pg_terminate_backend(?, 10000)", Boolean.class, pid);
                }
                return connection;
            }
        });

        if (isAnswered) {
            billing.require(DATABASE, "scope", "orders");
            assertThat(recorded()).containsExactly("scope orders billing");
        } else {
            assertThatThrownBy(() -> billing.require(DATABASE, "scope", "orders"))
                    .isInstanceOfAny(DataAccessException.class, TransactionException.class);
            assertThat(recorded()).isEmpty();
        }
    }

    @Test
    void inATransactionANameIsRecordedBesideIt() {
        try (HikariDataSource pool = database.dataSource(2)) {
            NameOwners billing = owners("billing", pool);
            transaction(pool).executeWithoutResult(status -> {
                billing.require(DATABASE, "topic", "orders");
                status.setRollbackOnly();
            });

            assertThat(recorded()).containsExactly("topic orders billing");
            assertThatThrownBy(() -> transaction(pool)
                            .executeWithoutResult(status -> owners("shop", pool).require(DATABASE, "topic", "orders")))
                    .isInstanceOf(OtherApplicationException.class);
        }
    }

    /** Each thread holds one of the connections, and none is left to ask. */
    @Test
    void inTransactionsThatTakeThePoolNobodyWaitsForLong() {
        try (HikariDataSource pool = database.dataSource(2)) {
            pool.setConnectionTimeout(1_500);
            NameOwners billing = owners("billing", pool);
            TransactionTemplate transaction = transaction(pool);

            ConcurrentCalls.run(
                            2,
                            () -> transaction.executeWithoutResult(
                                    status -> billing.require(DATABASE, "topic", "orders")))
                    .requireAllSucceeded();

            billing.require(DATABASE, "topic", "later");
            assertThat(recorded()).contains("topic later billing");
        }
    }

    /** As on a standby: what is recorded is respected, and what is not stays so. */
    @Test
    void whereNothingCanBeWrittenNothingIsRecorded() {
        start("billing", "scope orders");
        String url = database.jdbcUrl() + (database.jdbcUrl().contains("?") ? '&' : '?')
                + "options=-c%20default_transaction_read_only=on";
        DataSource readOnly = new DriverManagerDataSource(url, database.username(), database.password());
        List<OwnedName> names = names("scope orders", "scope new");

        owners("billing", readOnly).requireDeclared(names, DATABASE);

        assertThatThrownBy(() -> owners("shop", readOnly).requireDeclared(names, DATABASE))
                .isInstanceOf(IdempotencyStartupException.class);
        assertThat(recorded()).containsExactly("scope orders billing");
    }

    private void start(String application, String... names) {
        owners(application).requireDeclared(names(names), DATABASE);
    }

    private static List<OwnedName> names(String... names) {
        return Arrays.stream(names)
                .map(name -> name.split(" ", 2))
                .map(parts -> new OwnedName(parts[0], parts[1]))
                .toList();
    }

    private NameOwners owners(String application) {
        return owners(application, database.dataSource());
    }

    private static NameOwners owners(String application, DataSource dataSource) {
        return new NameOwners(application, "idempotency", storeOf(dataSource), dataSource);
    }

    private static OwnerStore storeOf(DataSource dataSource) {
        return new PostgresStorage(dataSource, "idempotency", CoreFeatures.all()).ownerStore();
    }

    private static TransactionTemplate transaction(DataSource dataSource) {
        return new TransactionTemplate(new JdbcTransactionManager(dataSource));
    }

    private List<String> recorded() {
        return jdbc.queryForList(
                "select concat_ws(' ', kind, name, application) from idempotency.owner order by kind, name",
                String.class);
    }
}
