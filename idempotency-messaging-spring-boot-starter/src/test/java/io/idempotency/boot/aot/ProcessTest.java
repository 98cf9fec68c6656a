package io.idempotency.boot.aot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.testing.OtherJvm;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Processes without a web server: the training run of an AOT cache, and a relay. */
@PostgresTest
@Tag("full")
class ProcessTest {

    private static final String NO_DATABASE = "jdbc:postgresql://localhost:1/none";

    private final TestDatabase database;

    @TempDir
    private Path logs;

    ProcessTest(TestDatabase database) {
        this.database = database;
        database.jdbc().execute("create table if not exists handled (payload text)");
    }

    @Test
    void aTrainingRunNeedsNoDatabase() throws Exception {
        ProcessBuilder training = process("training", "logging.level.io.idempotency.boot.flyway=info");
        training.environment().put("SPRING_DATASOURCE_URL", NO_DATABASE);
        training.command().add(1, "-Dspring.context.exit=onRefresh");

        assertThat(exitCodeOf(training.start())).isZero();

        assertThat(log("training"))
                .contains(
                        "The database of the idempotency tables gives no connection",
                        "Nothing is migrated or verified, because spring.context.exit = onRefresh");
    }

    @Test
    void anyOtherStartNeedsItsDatabase() throws Exception {
        ProcessBuilder process = process("start");
        process.environment().put("SPRING_DATASOURCE_URL", NO_DATABASE);

        assertThat(exitCodeOf(process.start())).isOne();

        assertThat(log("start")).contains("The database of the idempotency tables gives no connection");
    }

    @Test
    void aProcessThatOnlyRelaysIsKeptAliveBySpringBoot() throws Exception {
        Process job = process("job", "idempotency.outbox.relay=false", "test.publish=book")
                .start();
        assertThat(exitCodeOf(job)).as("without keep-alive").isZero();

        Process relay = process("relay", "spring.main.keep-alive=true").start();
        try {
            await().atMost(1, TimeUnit.MINUTES)
                    .until(
                            () -> database.jdbc().queryForList("select payload from handled", String.class),
                            List.of("book")::equals);
            database.jdbc().update("delete from handled");
            assertThat(exitCodeOf(process("second-job", "idempotency.outbox.relay=false", "test.publish=pen")
                            .start()))
                    .isZero();
            await().atMost(1, TimeUnit.MINUTES)
                    .until(
                            () -> database.jdbc().queryForList("select payload from handled", String.class),
                            List.of("pen")::equals);
            assertThat(relay.isAlive()).isTrue();
        } finally {
            relay.destroy();
            assertThat(relay.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private ProcessBuilder process(String name, String... properties) {
        return OtherJvm.of(database, Application.class, List.of(properties))
                .redirectOutput(logs.resolve(name).toFile());
    }

    private static int exitCodeOf(Process process) throws InterruptedException {
        try {
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private String log(String name) throws IOException {
        return Files.readString(logs.resolve(name), StandardCharsets.UTF_8);
    }

    static final class Application {

        private Application() {}

        public static void main(String[] properties) {
            ConfigurableApplicationContext context =
                    JdbcTestApplication.start(Map.of(), new Class<?>[] {WithOutbox.class}, properties);
            String payload = context.getEnvironment().getProperty("test.publish");
            if (payload != null) {
                new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                        .executeWithoutResult(status -> context.getBean(Outbox.class)
                                .publish(OutboxMessage.of("orders", "OrderPlaced")
                                        .payload(payload)
                                        .build()));
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class WithOutbox {

        private final JdbcTemplate jdbc;

        WithOutbox(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @OutboxHandler(topic = "orders")
        void handle(String payload) {
            jdbc.update("insert into handled values (?)", payload);
        }
    }
}
