package io.idempotency.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DelayingProxyTest {

    private static final Duration DELAY = Duration.ofMillis(20);

    private ServerSocket echo;

    private DelayingProxy proxy;

    @BeforeEach
    void start() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        proxy = new DelayingProxy(new InetSocketAddress(echo.getInetAddress(), echo.getLocalPort()), DELAY);
        CompletableFuture<Void> answering = CompletableFuture.runAsync(() -> {
            try (Socket client = echo.accept()) {
                client.getInputStream().transferTo(client.getOutputStream());
            } catch (IOException closed) {
                // The end of the test.
            }
        });
        assertThat(answering).isNotCompletedExceptionally();
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        echo.close();
    }

    @Test
    void everyRoundTripTakesTheDelayTwice() throws IOException {
        try (Socket client = connect()) {
            for (int i = 0; i < 3; i++) {
                assertThat(roundTrip(client, i)).isGreaterThanOrEqualTo(DELAY.multipliedBy(2));
            }
        }
    }

    @Test
    void anotherDelayIsThatOfWhatIsSentFromThenOn() throws IOException {
        try (Socket client = connect()) {
            proxy.delay(Duration.ZERO);
            assertThat(shortestOf(5, client)).isLessThan(DELAY);

            proxy.delay(DELAY.multipliedBy(2));
            assertThat(shortestOf(5, client)).isGreaterThanOrEqualTo(DELAY.multipliedBy(4));
        }
    }

    /** The delay would add up if it were waited for between chunks. */
    @Test
    void whatIsSentTogetherArrivesTogetherAndUnchanged() throws Exception {
        byte[] sent = new byte[3_000_000];
        new Random(1).nextBytes(sent);
        try (Socket client = connect()) {
            OutputStream out = client.getOutputStream();
            InputStream in = client.getInputStream();
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    for (int i = 0; i < sent.length; i += 3_000) {
                        out.write(sent, i, 3_000);
                    }
                } catch (IOException lost) {
                    throw new IllegalStateException(lost);
                }
            });

            long start = System.nanoTime();
            assertThat(in.readNBytes(sent.length)).isEqualTo(sent);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("less than the delay of a thousand packets")
                    .isLessThan(DELAY.multipliedBy(1_000));
            sending.join();
        }
    }

    @Test
    void theEndOfOneSideIsTheEndOfTheOther() throws IOException {
        try (Socket client = connect()) {
            client.getOutputStream().write(1);
            assertThat(client.getInputStream().read()).isEqualTo(1);

            client.shutdownOutput();

            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    /** One that was held up by what else the machine does says nothing of the proxy. */
    private static Duration shortestOf(int times, Socket client) throws IOException {
        Duration shortest = roundTrip(client, 0);
        for (int i = 1; i < times; i++) {
            Duration next = roundTrip(client, i);
            shortest = next.compareTo(shortest) < 0 ? next : shortest;
        }
        return shortest;
    }

    private static Duration roundTrip(Socket client, int sent) throws IOException {
        long start = System.nanoTime();
        client.getOutputStream().write(sent);
        assertThat(client.getInputStream().read()).isEqualTo(sent);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private Socket connect() throws IOException {
        Socket client = new Socket();
        client.setSoTimeout(10_000);
        client.connect(proxy.address());
        return client;
    }
}
