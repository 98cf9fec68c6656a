package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@PostgresTest
class ExactlyOnceCheckTest {

    private final BenchmarkServer server;

    private Broken contender;

    ExactlyOnceCheckTest(TestDatabase database) throws Exception {
        server = new BenchmarkServer(JdbcUrls.withCredentials(database), Duration.ZERO);
    }

    @BeforeEach
    void start() {
        contender = new Broken(new ContenderSetup(server, 2));
    }

    @AfterEach
    void stop() throws Exception {
        contender.close();
        server.close();
    }

    @Test
    void aContenderThatKeepsItsWordPasses() {
        HandWrittenContender honest = new HandWrittenContender(new ContenderSetup(server, 2));
        try (honest) {
            assertThatCode(() -> ExactlyOnceCheck.of(honest)).doesNotThrowAnyException();
        }
    }

    @Test
    void anEffectThatIsNotMadeIsFound() {
        contender.behaviour = (key, payment) -> null;

        assertFails("does not make the effect of a new key once");
    }

    @Test
    void anEffectThatIsMadeAgainIsFound() {
        contender.behaviour = (key, payment) -> contender.effect().pay(payment);

        assertFails("makes the effect of a repeated key again");
    }

    @Test
    void aReplayOfAnotherResponseIsFound() {
        contender.behaviour = (key, payment) -> contender.first
                ? contender.effect().pay(payment)
                : Receipt.of(Payment.of(payment.number() + 1), Receipt.USUAL_BYTES);

        assertFails("does not replay the response");
    }

    @Test
    void aKeyThatIsAcceptedWithAnotherPayloadIsFound() {
        contender.behaviour = (key, payment) ->
                contender.first ? contender.effect().pay(payment) : Receipt.of(payment, Receipt.USUAL_BYTES);

        assertFails("accepts a key with another payload");
    }

    private void assertFails(String message) {
        assertThatIllegalStateException()
                .isThrownBy(() -> ExactlyOnceCheck.of(contender))
                .withMessageContaining(message);
    }

    private static final class Broken extends CallContender {

        private BiFunction<String, Payment, @Nullable Receipt> behaviour = (key, payment) -> null;

        private boolean first = true;

        private Broken(ContenderSetup setup) {
            super("broken", setup, List.of());
        }

        private CallEffect effect() {
            return application.getBean(CallEffect.class);
        }

        @Override
        @Nullable Receipt pay(String key, Payment payment) {
            Receipt receipt = behaviour.apply(key, payment);
            first = false;
            return receipt;
        }
    }
}
