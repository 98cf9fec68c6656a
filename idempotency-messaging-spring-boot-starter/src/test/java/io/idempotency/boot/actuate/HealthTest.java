package io.idempotency.boot.actuate;

import java.time.Duration;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.idempotency.boot.sample.IdempotencyHealthProperties;
import io.idempotency.boot.testing.Answer;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PartitionSample;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What health says of the tables, the purge and the outbox. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_METHOD)
@Tag("full")
class HealthTest {

    private static final IdempotencyHealthProperties DEFAULTS =
            new IdempotencyHealthProperties(Duration.ofHours(1), Duration.ofMinutes(5));

    private final TestDatabase database;

    private OperatedApplication application;

    HealthTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() {
        application = start("management.endpoint.health.show-details=always");
    }

    private OperatedApplication start(String... properties) {
        return OperatedApplication.start(database, List.of(), properties);
    }

    @AfterEach
    void stop() {
        application.close();
        database.jdbc().execute("drop schema if exists idempotency cascade");
    }

    @Test
    void isUpBeforeAnythingWasLookedAtAndSaysSo() {
        Answer answer = application.health("/idempotency");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text("$.status")).isEqualTo("UP");
        assertThat(answer.text("$.details.schema")).isEqualTo("present");
        assertThat(answer.text("$.details.purge.state")).startsWith("unknown");
        assertThat(answer.text("$.details.outbox.state")).startsWith("unknown");
        assertThat(answer.text("$.details.purge.threshold")).isEqualTo("PT1H");
    }

    @Test
    void isUpWhileNothingIsBehind() {
        sample(Duration.ofMinutes(59), Duration.ofMinutes(9));

        Answer answer = application.health("/idempotency");

        assertThat(answer.text("$.status")).isEqualTo("UP");
        assertThat(answer.text("$.details.purge.state")).isEqualTo("fine");
        assertThat(answer.text("$.details.outbox.oldest")).isEqualTo("PT9M");
    }

    @Test
    void isDegradedWhileThePurgeOrTheOutboxIsBehindAndKeepsTheInstanceInService() {
        sample(Duration.ofMinutes(61), Duration.ZERO);
        assertThat(application.health("/idempotency").text("$.details.purge.state"))
                .isEqualTo("behind");

        sample(Duration.ZERO, Duration.ofMinutes(11));
        Answer answer = application.health("/idempotency");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text("$.status")).isEqualTo("DEGRADED");
        assertThat(answer.text("$.details.outbox.state")).isEqualTo("behind");
        assertThat(answer.text("$.details.purge.state")).isEqualTo("fine");
        Answer all = application.health("");
        assertThat(all.status()).isEqualTo(200);
        assertThat(all.text("$.status")).isEqualTo("UP");
    }

    @Test
    void isDegradedLongBeforePartitionsRunOut() {
        partitions(4, Duration.ofMinutes(59));
        assertThat(application.health("/idempotency").text("$.status")).isEqualTo("UP");
        assertThat(application.health("/idempotency").text("$.details.partitions.processed_message.state"))
                .isEqualTo("fine");

        partitions(3, Duration.ZERO);
        assertThat(application.health("/idempotency").text("$.status")).isEqualTo("DEGRADED");
        assertThat(application.health("/idempotency").text("$.details.partitions.processed_message.state"))
                .isEqualTo("no instance adds partitions");

        partitions(7, Duration.ofMinutes(61));
        assertThat(application.health("/idempotency").text("$.status")).isEqualTo("DEGRADED");
        assertThat(application.health("/idempotency").text("$.details.partitions.processed_message.state"))
                .isEqualTo("the next partition could not be opened");
    }

    @Test
    void isDegradedByWhatIsWrongWithPartitionsAndSaysWhat() {
        partitions(7, Duration.ZERO, "processed_message_20261122 should have been removed an hour ago");

        Answer answer = application.health("/idempotency");
        assertThat(answer.text("$.status")).isEqualTo("DEGRADED");
        assertThat(answer.text("$.details.partitions.processed_message.state")).isEqualTo("needs attention");
        assertThat(answer.texts("$.details.partitions.processed_message.problems"))
                .containsExactly("processed_message_20261122 should have been removed an hour ago");
    }

    private void partitions(int ahead, Duration overdue, String... problems) {
        application
                .messageEvents()
                .partitionsSampled(
                        new PartitionSample("processed_message", 9, ahead, overdue, false, List.of(problems)));
    }

    @Test
    void degradedCanBeMadeToTakeTheInstanceOutOfService() {
        application.close();
        application = start(
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.status.order=down,out-of-service,degraded,up,unknown",
                "management.endpoint.health.status.http-mapping.down=503",
                "management.endpoint.health.status.http-mapping.out-of-service=503",
                "management.endpoint.health.status.http-mapping.degraded=503");
        assertThat(application.health("").status()).isEqualTo(200);

        sample(Duration.ZERO, Duration.ofMinutes(11));

        assertThat(application.health("").status()).isEqualTo(503);
        assertThat(application.health("").text("$.status")).isEqualTo("DEGRADED");
    }

    @Test
    void isDownWithoutATableAndSaysWhich() {
        database.jdbc().execute("drop table idempotency.outbox_event cascade");

        Answer answer = application.health("/idempotency");

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text("$.status")).isEqualTo("DOWN");
        assertThat(answer.texts("$.details.schema")).containsExactly("outbox_event does not exist");
        assertThat(application.health("").status()).isEqualTo(503);
    }

    @Test
    void isDownIfTheDatabaseCannotBeAsked() {
        PostgresStorage unreachable = MigratedTables.storage(
                new DriverManagerDataSource("jdbc:postgresql://localhost:1/nowhere", "nobody", ""), "idempotency");

        Health health = new IdempotencyHealthIndicator(unreachable.schema(), DEFAULTS, List.of()).health();

        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails().get("schema"))
                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                .singleElement()
                .asString()
                .startsWith("cannot be queried: Conn");
    }

    @Test
    void thePurgeIsNoMatterOfAnInstanceThatDoesNotPurge() {
        application.close();
        application = start("management.endpoint.health.show-details=always", "idempotency.purge.enabled=false");

        sample(Duration.ofDays(3), Duration.ZERO);

        Answer answer = application.health("/idempotency");
        assertThat(answer.text("$.status")).isEqualTo("UP");
        assertThat(answer.text("$.details.purge.state")).isEqualTo("not done by this instance");
    }

    private void sample(Duration oldestExpired, Duration oldestMessage) {
        application
                .events()
                .storageSampled(new StorageSampled(
                        List.of(
                                new TableSample("idempotency_request", 7, Duration.ZERO),
                                new TableSample("processed_message", 7, oldestExpired)),
                        0,
                        0));
        application.messageEvents().outboxSampled(new OutboxSampled(7, 0, oldestMessage, List.of()));
    }
}
