package io.idempotency.benchmarks.micro;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What JMH repeats does what it is called after. */
class MicroApplicationTest {

    private final MicroApplication application = new MicroApplication();

    @BeforeEach
    void start() {
        application.start();
    }

    @AfterEach
    void stop() {
        application.close();
    }

    @Test
    void aNewKeyRunsTheMethodAndAKnownOneIsReplayed() {
        Order sent = new Order(1, 2, "sent");

        assertThat(application.orders().plain("key", sent)).isSameAs(sent);
        assertThat(application.orders().pay("key", sent)).isSameAs(sent);
        assertThat(application.orders().pay(NoOpClaimStore.KNOWN_KEY, sent)).isEqualTo(Order.ONE);
    }

    @Test
    void theKeyAndTheFingerprintOfTheAnnotatedMethodAreThere() {
        CodecMicroBenchmark benchmark = new CodecMicroBenchmark();

        assertThat(benchmark.keyExpression()).hasToString("order-4711");
        assertThat(benchmark.fingerprint()).isNotNull();
        assertThat(benchmark.decodeResponse()).isEqualTo(Order.ONE);
    }
}
