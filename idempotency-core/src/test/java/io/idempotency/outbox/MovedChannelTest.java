package io.idempotency.outbox;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.idempotency.postgres.MigratedTables;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Instances that listen go on hearing of messages when the table is put in partitions, without being started again. */
@PostgresTest
class MovedChannelTest {

    @Test
    void isHeardByWhoListenedBefore(TestDatabase database) {
        OutboxChannel channel = MigratedTables.in(database).outboxChannel();
        AtomicInteger heard = new AtomicInteger();
        AtomicBoolean stopped = new AtomicBoolean();
        CompletableFuture<Void> listening = CompletableFuture.runAsync(
                () -> channel.listen(heard::incrementAndGet, stopped::get, Duration.ofMillis(50)));
        Awaitility.await().until(() -> heard.get() == 1);

        database.jdbc().execute("select idempotency.partition_outbox_event()");
        Awaitility.await().until(() -> heard.get() == 2);
        channel.announce();

        Awaitility.await().until(() -> heard.get() == 3);
        stopped.set(true);
        assertThat(listening.orTimeout(10, TimeUnit.SECONDS)).succeedsWithin(Duration.ofSeconds(10));
    }
}
