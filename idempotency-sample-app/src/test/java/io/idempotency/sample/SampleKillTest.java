package io.idempotency.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.idempotency.sample.Orders.Order;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
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

    @TempDir
    private Path workingDirectory;

    @TempDir
    private Path outputs;

    /** Each start takes seconds, so one sequence of them shows all that is to be seen of a directory of data. */
    @Test
    void eachKeyIsPaidOnceWhateverIsKilledAndWhoCannotUseTheDataIsToldWhy() throws Exception {
        try (SampleProcess one = start();
                SampleProcess other = start()) {
            await().atMost(TIMEOUT).until(() -> one.isOpenOrOver() && other.isOpenOrOver());
            assertSecondIsToldWhy(one.isAlive() ? other : one);
            killInTheMiddle(one.isAlive() ? one : other);
        }
        try (SampleProcess killedAfterwards = start()) {
            sendAllAgain(killedAfterwards);
            killedAfterwards.kill();
        }
        try (SampleProcess stopped = start()) {
            sendAllAgain(stopped);
            assertEachOrderWasPaidOnce(stopped);
            jdbc(stopped)
                    .sql("update flyway_schema_history set checksum = 1 where version = '1'")
                    .update();
            stopped.stop();
        }
        assertNobodyServesTheData();
        try (SampleProcess withOtherMigrations = start()) {
            assertTablesOfAnotherVersionAreToldOf(withOtherMigrations);
        }
    }

    private void assertSecondIsToldWhy(SampleProcess refused) throws IOException {
        assertThat(refused.isAlive()).isFalse();
        assertThat(refused.output())
                .contains("APPLICATION FAILED TO START")
                .contains("Another instance of the sample has its data in "
                        + workingDirectory.toRealPath().resolve("data"))
                .contains("--sample.database.directory=");
    }

    private void killInTheMiddle(SampleProcess open) throws Exception {
        WalletClient wallet = walletOf(open);
        ConcurrentCalls<Void> clients = ConcurrentCalls.start(CLIENTS, () -> load.runUntilKilled(wallet, orders));
        await().atMost(TIMEOUT).until(() -> clients.isDone() || load.answers() >= ANSWERS_BEFORE_KILL);
        open.kill();
        clients.await().requireAllSucceeded();
        assertThat(load.broken())
                .as("requests that the kill struck on their way")
                .isPositive();
    }

    private static void assertTablesOfAnotherVersionAreToldOf(SampleProcess refused) throws IOException {
        await().atMost(TIMEOUT).until(refused::isOpenOrOver);
        assertThat(refused.output())
                .contains("APPLICATION FAILED TO START")
                .contains("The tables in the database of the sample are not those of this version.")
                .contains("Delete the directory of its data")
                .doesNotContain("\tat ");
    }

    private static WalletClient walletOf(SampleProcess application) {
        return WalletClient.of(application.awaitUrl());
    }

    private static JdbcClient jdbc(SampleProcess application) throws IOException {
        return JdbcClient.create(new DriverManagerDataSource(application.databaseUrl(), "postgres", ""));
    }

    private SampleProcess start() throws IOException {
        return SampleProcess.startAlone(workingDirectory, outputs.resolve("start-" + System.nanoTime()));
    }

    private void sendAllAgain(SampleProcess application) throws Exception {
        WalletClient wallet = walletOf(application);
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

    /**
     * PostgreSQL removes this file when it ends, and it does not start while another server has the directory, so the
     * servers of the killed instances have ended too. Their ports prove nothing: any program may have got one since.
     */
    private void assertNobodyServesTheData() throws IOException {
        try (Stream<Path> files = Files.walk(workingDirectory.resolve("data"))) {
            assertThat(files)
                    .extracting(file -> file.getFileName().toString())
                    .contains("PG_VERSION")
                    .doesNotContain("postmaster.pid");
        }
    }
}
