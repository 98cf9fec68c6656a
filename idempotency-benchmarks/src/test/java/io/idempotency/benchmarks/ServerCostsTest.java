package io.idempotency.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@PostgresTest
class ServerCostsTest {

    private static final String DATABASE = "costs";

    private final String jdbcUrl;

    private BenchmarkServer server;

    private ServerCosts costs;

    private HikariDataSource pool;

    ServerCostsTest(TestDatabase database) {
        jdbcUrl = JdbcUrls.withCredentials(database);
    }

    @BeforeEach
    void start() throws Exception {
        server = new BenchmarkServer(jdbcUrl, Duration.ZERO);
        server.create(DATABASE);
        costs = new ServerCosts(server);
        pool = server.pool(DATABASE, 2);
        new JdbcTemplate(pool).execute("create table counted (id integer primary key, text text)");
    }

    @AfterEach
    void stop() throws Exception {
        pool.close();
        costs.close();
        server.close();
    }

    @Test
    void aRoundTripIsWhatTheDriverWaitsFor() throws Exception {
        try (Connection connection = pool.getConnection();
                PreparedStatement select = connection.prepareStatement("select ?");
                Statement several = connection.createStatement()) {
            for (int i = 0; i < 10; i++) { // the driver changes to a server-side prepared statement on the way
                select.setInt(1, i);
                assertThat(roundTripsOf(() -> select.executeQuery().close())).isEqualTo(1);
            }
            connection.setAutoCommit(false);
            assertThat(roundTripsOf(() -> several.execute("select 1; select 2; select 3")))
                    .as("BEGIN and three statements")
                    .isEqualTo(1);
            assertThat(roundTripsOf(connection::commit)).isEqualTo(1);
            assertThat(roundTripsOf(connection::commit)).as("nothing to commit").isZero();
        }
    }

    @Test
    void aRequestOfManyPacketsIsOneRoundTrip() throws Exception {
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into counted values (1, ?)")) {
            insert.setString(1, "x".repeat(1_000_000));

            assertThat(roundTripsOf(insert::executeUpdate)).isEqualTo(1);
        }
    }

    @Test
    void everyDeadRowVersionIsCountedEvenIfItWasClearedAway() throws Exception {
        try (PlainContender contender = PlainContender.effectAlone(new ContenderSetup(server, 2))) {
            contender.newKey().run();
            Entrant entrant = new Entrant(contender, () -> {
                contender.newKey().run();
                contender.admin.update("update account set cents = cents - 1 where id = 1");
                contender.admin.update("delete from account where id = 2");
                contender.admin.update("insert into account values (2, 0)");
            });

            Map<Entrant, Long> dead = costs.deadTuplesOf(Map.of(entrant, 40));

            assertThat(dead).containsExactly(Map.entry(entrant, 3L * 40));
        }
    }

    @Test
    void theWalGrowsWithWhatIsWrittenAndNotWithWhatIsRead() {
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        long before = costs.walBytes();
        jdbc.update("insert into counted select n, 'text' from generate_series(1, 10000) as n");
        long written = costs.walBytes() - before;

        assertThat(written).isGreaterThan(10_000L * 50);
    }

    @Test
    void theLinkDelaysTheContendersAndNotTheAdministrator() throws Exception {
        try (BenchmarkServer far = new BenchmarkServer(jdbcUrl, Duration.ofMillis(5))) {
            assertThat(far.roundTripMicros()).isGreaterThanOrEqualTo(10_000);
        }
    }

    @Test
    void aServerThatIsTooSmallIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> server.requireConnections(1_000_000))
                .withMessageContaining("max_connections");
    }

    private static long roundTripsOf(Operation work) throws Exception {
        long before = CountingSocketFactory.roundTrips();
        work.run();
        return CountingSocketFactory.roundTrips() - before;
    }
}
