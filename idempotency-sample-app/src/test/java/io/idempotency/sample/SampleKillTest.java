package io.idempotency.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.idempotency.sample.Orders.Order;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** The sample is killed on the database that it brings along, as its README invites to. */
@Tag("race")
@Tag("full")
class SampleKillTest {

    private static final int CLIENTS = 8;

    private static final int ANSWERS_BEFORE_KILL = 100;

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Orders orders = new Orders();

    private final Load load = new Load();

    private final List<String> databases = new ArrayList<>();

    @TempDir
    private Path workingDirectory;

    @TempDir
    private Path outputs;

    @Test
    void thereIsOnePaymentForEachKeyAfterKillsInTheMiddleAndAfterwards() throws Exception {
        try (SampleProcess killedInTheMiddle = start()) {
            WalletClient wallet = WalletClient.of(killedInTheMiddle.awaitUrl());
            ConcurrentCalls<Void> clients = ConcurrentCalls.start(CLIENTS, () -> load.runUntilKilled(wallet, orders));
            await().atMost(TIMEOUT).until(() -> clients.isDone() || load.answers() >= ANSWERS_BEFORE_KILL);
            databases.add(killedInTheMiddle.databaseUrl());
            killedInTheMiddle.kill();
            clients.await().requireAllSucceeded();
            assertThat(load.broken())
                    .as("requests that the kill struck on their way")
                    .isPositive();
        }
        try (SampleProcess killedAfterwards = start()) {
            sendAllAgain(killedAfterwards);
            databases.add(killedAfterwards.databaseUrl());
            killedAfterwards.kill();
        }
        try (SampleProcess stopped = start()) {
            sendAllAgain(stopped);
            databases.add(stopped.databaseUrl());
            assertEachOrderWasPaidOnce(stopped);
            stopped.stop();
        }
        assertThat(databases).doesNotHaveDuplicates().allSatisfy(SampleKillTest::assertNobodyServes);
    }

    @Test
    void ofTwoThatStartAtOnceTheSecondIsToldWhy() throws Exception {
        try (SampleProcess one = start();
                SampleProcess other = start()) {
            await().atMost(TIMEOUT).until(() -> one.isOpenOrOver() && other.isOpenOrOver());
            SampleProcess refused = one.isAlive() ? other : one;
            SampleProcess open = one.isAlive() ? one : other;
            assertThat(refused.isAlive()).isFalse();
            assertThat(refused.output())
                    .contains("APPLICATION FAILED TO START")
                    .contains("Another instance of the sample has its data in "
                            + workingDirectory.toRealPath().resolve("data"))
                    .contains("--sample.database.directory=");
            WalletClient wallet = WalletClient.of(open.awaitUrl());
            load.send(wallet, orders.next());
            open.stop();
        }
    }

    @Test
    void tablesOfAnotherVersionAreToldOf() throws Exception {
        try (SampleProcess before = start()) {
            before.awaitUrl();
            jdbc(before)
                    .sql("update flyway_schema_history set checksum = 1 where version = '1'")
                    .update();
            before.stop();
        }
        try (SampleProcess after = start()) {
            await().atMost(TIMEOUT).until(after::isOpenOrOver);
            assertThat(after.output())
                    .contains("APPLICATION FAILED TO START")
                    .contains("The tables in the database of the sample are not those of this version.")
                    .contains("Delete the directory of its data")
                    .doesNotContain("\tat ");
        }
    }

    private static JdbcClient jdbc(SampleProcess application) throws IOException {
        return JdbcClient.create(new DriverManagerDataSource(application.databaseUrl(), "postgres", ""));
    }

    private SampleProcess start() throws IOException {
        return SampleProcess.startAlone(workingDirectory, outputs.resolve("start-" + System.nanoTime()));
    }

    private void sendAllAgain(SampleProcess application) throws Exception {
        WalletClient wallet = WalletClient.of(application.awaitUrl());
        for (Order order : orders.all()) {
            load.send(wallet, order);
        }
    }

    private void assertEachOrderWasPaidOnce(SampleProcess application) throws IOException {
        assertThat(jdbc(application)
                        .sql("select reference from payment")
                        .query(String.class)
                        .list())
                .containsExactlyInAnyOrderElementsOf(
                        orders.all().stream().map(Order::key).toList());
    }

    private static void assertNobodyServes(String url) {
        assertThatThrownBy(
                        () -> DriverManager.getConnection(url, "postgres", "").close())
                .as(url)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("refused");
    }
}
