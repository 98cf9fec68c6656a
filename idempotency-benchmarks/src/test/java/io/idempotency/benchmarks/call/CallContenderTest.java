package io.idempotency.benchmarks.call;

import java.util.List;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.benchmarks.JdbcUrls;
import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;
import io.idempotency.benchmarks.harness.BenchmarkServer;
import io.idempotency.benchmarks.harness.ContenderApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A service that does not keep its promise is found before it is measured. */
@PostgresTest
@Tag("full")
class CallContenderTest {

    private static BenchmarkServer server;

    private static ContenderApplication application;

    private static Effect effect;

    private boolean first = true;

    @BeforeAll
    static void start(TestDatabase database) throws Exception {
        server = new BenchmarkServer(JdbcUrls.withCredentials(database), 1);
        application = new ContenderApplication(server, "broken", "", List.of(), List.of());
        effect = application.bean(Effect.class);
    }

    @AfterAll
    static void stop() throws Exception {
        application.close();
        server.close();
    }

    @Test
    void whoeverKeepsThePromiseIsAccepted() {
        CallContender.start(Approach.HAND_WRITTEN, server).close();
        assertThatCode(() -> contender((key, payment) -> effect.pay(payment)).check(Promise.NOTHING))
                .doesNotThrowAnyException();
    }

    @Test
    void anEffectThatIsNotMadeIsFound() {
        assertFails((key, payment) -> null, "does not make the effect of a new key once");
    }

    @Test
    void anEffectThatIsMadeAgainIsFound() {
        assertFails((key, payment) -> effect.pay(payment), "makes the effect of a repeated key again");
    }

    @Test
    void aReplayOfAnotherResponseIsFound() {
        assertFails(
                (key, payment) -> isFirst() ? effect.pay(payment) : Receipt.of(Payment.of(payment.number() + 1)),
                "does not replay the response");
    }

    @Test
    void aKeyThatIsAcceptedWithAnotherPayloadIsFound() {
        assertFails(
                (key, payment) -> isFirst() ? effect.pay(payment) : Receipt.of(payment),
                "accepts a key with another payload");
    }

    private boolean isFirst() {
        boolean was = first;
        first = false;
        return was;
    }

    private static void assertFails(BiFunction<String, Payment, @Nullable Receipt> behaviour, String message) {
        assertThatIllegalStateException()
                .isThrownBy(() -> contender(behaviour).check(Promise.SAME_RESPONSE))
                .withMessageContaining(message);
    }

    private static CallContender contender(BiFunction<String, Payment, @Nullable Receipt> behaviour) {
        return new CallContender(application, behaviour::apply);
    }
}
