package io.idempotency.outbox;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The same while the table is put in partitions: nothing is lost, and the order of each key holds. */
class OutboxSwitchOverTest extends SeveralRelaysTest {

    private static final int SENT_BEFORE = 200;

    private static final Duration PATIENCE = Duration.ofSeconds(50);

    private final JdbcTemplate operator;

    private CompletableFuture<Void> switchOver;

    private final CountDownLatch inPartitions = new CountDownLatch(1);

    OutboxSwitchOverTest(TestDatabase database) {
        super(database);
        this.operator = database.jdbc();
    }

    @BeforeEach
    void switchOverUnderTraffic() {
        switchOver = CompletableFuture.runAsync(() -> {
            Awaitility.await()
                    .timeout(PATIENCE)
                    .until(() -> count("idempotency.outbox_event where status = 'sent'") >= SENT_BEFORE);
            List.of(
                            "prepare_partitions_of_outbox_event",
                            "partition_outbox_event",
                            "check_outbox_event_before",
                            "attach_outbox_event_before")
                    .forEach(step -> {
                        Awaitility.await()
                                .timeout(PATIENCE)
                                .ignoreExceptionsInstanceOf(DataAccessException.class)
                                .untilAsserted(() -> operator.execute("select idempotency." + step + "()"));
                        if (step.equals("partition_outbox_event")) {
                            inPartitions.countDown();
                        }
                    });
        });
    }

    /** So that something is sent afterwards, however fast the relays are. */
    @Override
    void awaitTurnOfLastMessages() {
        try {
            assertThat(inPartitions.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void isSwitchedOver() {
        switchOver.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(count("pg_class where oid = 'idempotency.outbox_event'::regclass and relkind = 'p'"))
                .isOne();
        assertThat(count("pg_class where relname = 'outbox_event_before'")).isZero();
        assertThat(count("idempotency.outbox_event_sent_rest"))
                .as("sent afterwards")
                .isPositive();
    }

    private int count(String what) {
        return operator.queryForObject("select count(*) from " + what, Integer.class);
    }
}
