package io.idempotency.boot.outbox;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.idempotency.boot.background.WakeSignal;
import io.idempotency.internal.outbox.OutboxChannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** How often instances try to listen to each other, and how often they complain. */
@ExtendWith(OutputCaptureExtension.class)
class NotificationListenerTest {

    @Test
    void whateverFailsIsLoggedOnceAndTriedAgain(CapturedOutput output) throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        WakeSignal relay = new WakeSignal();
        NotificationListener listener = new NotificationListener(
                new OutboxChannel() {
                    @Override
                    public void announce() {}

                    @Override
                    public void listen(Runnable heard, BooleanSupplier stopped, Duration patience) {
                        if (attempts.incrementAndGet() < 4) {
                            throw new IllegalStateException("the pool cannot even be asked");
                        }
                        heard.run();
                        await().until(stopped::getAsBoolean);
                    }
                },
                relay,
                Duration.ofHours(1));
        listener.start();
        try {
            assertThat(relay.await(Duration.ofSeconds(20))).isTrue();
        } finally {
            listener.stop();
        }

        assertThat(output.getAll().split("The connection that listens for messages to send was lost", -1))
                .hasSize(2);
    }
}
