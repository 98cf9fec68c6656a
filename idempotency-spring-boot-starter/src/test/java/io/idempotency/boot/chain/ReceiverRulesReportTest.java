package io.idempotency.boot.chain;

import java.io.InputStream;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.ConflictPolicy;
import io.idempotency.DeliveryOrder;
import io.idempotency.Idempotent;
import io.idempotency.IdempotentReceiver;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A method that cannot receive messages as it stands is reported at start-up: which one, why, and what to change. */
@PostgresTest
class ReceiverRulesReportTest {

    private static final String CORRECT = "Correct the annotation";

    private final TestDatabase database;

    ReceiverRulesReportTest(TestDatabase database) {
        this.database = database;
    }

    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(FinalMethod.class, "@IdempotentReceiver stands on a final method", "neither final"),
                arguments(ReturnsPrimitive.class, "returns boolean, but for a duplicate", "a type that can be null"),
                arguments(
                        ReturnsFuture.class,
                        "Future<java.lang.String>, which is not complete",
                        "Return the result itself"),
                arguments(ConsumerIsBlank.class, "The consumer ' ' of @IdempotentReceiver", CORRECT),
                arguments(ConsumerOfUnknownPlaceholder.class, "'orders-${no.such.property}'", CORRECT),
                arguments(IdIsMissing.class, "The messageId '' of @IdempotentReceiver", CORRECT),
                arguments(IdIsNotSpel.class, "The messageId of @IdempotentReceiver", "Correct the expression"),
                arguments(PayloadOfUnknownParameter.class, "there is no #amount", "Use the names of the parameters"),
                arguments(TypeIsNotSpel.class, "The type of @IdempotentReceiver", "Correct the expression"),
                arguments(StreamWithoutVersion.class, "The version '' of @IdempotentReceiver", CORRECT),
                arguments(VersionWithoutStream.class, "The stream '' of @IdempotentReceiver", CORRECT),
                arguments(OrderWithoutStream.class, "order 'STRICT'", CORRECT),
                arguments(FirstVersionWithoutStrict.class, "firstVersion '5'", CORRECT),
                arguments(PolicyWithoutPayload.class, "onConflict 'SKIP'", CORRECT),
                arguments(RetentionIsNoDuration.class, "retention '7 days'", CORRECT),
                arguments(CacheableMethod.class, "is @Cacheable too", "Remove @Cacheable"),
                arguments(ReadOnlyMethod.class, "has a read-only transaction", "Remove readOnly = true"),
                arguments(NotSupported.class, "runs outside of transactions", "REQUIRED or REQUIRES_NEW."),
                arguments(NoRollbackFor.class, "a rule not to roll back", "Remove noRollbackFor"),
                arguments(Both.class, "has both @Idempotent and @IdempotentReceiver", "Keep @IdempotentReceiver"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void reportsTheMethodAndWhatToChange(Class<?> bean, String problem, String action) {
        StartupFailure.of(database, new Class<?>[] {bean})
                .says(problem, bean.getName() + ".receive(")
                .advises(action);
    }

    @Test
    void namesBothMethodsThatAreOneConsumer() {
        StartupFailure.of(database, new Class<?>[] {OneMethod.class, OtherMethod.class})
                .says(
                        "The consumer 'shared' is used by two methods",
                        OneMethod.class.getName() + ".receive(String)",
                        OtherMethod.class.getName() + ".receive(String)")
                .advises("Give each method a consumer of its own");
    }

    @Test
    void aConsumerMayHaveTheNameOfAScopeAndReturnAnythingThatCanBeNull() {
        try (ConfigurableApplicationContext application =
                JdbcTestApplication.start(database, new Class<?>[] {OneMethod.class, CallOfTheSameName.class})) {
            assertThat(application.getBean(OneMethod.class).receive("m-1")).isEqualTo("m-1");
            assertThat(application.getBean(CallOfTheSameName.class).call("m-1")).isEqualTo("m-1");
        }
    }

    @Test
    void argumentsNeedNotBeDataIfNoPayloadIsCompared() {
        try (ConfigurableApplicationContext application =
                JdbcTestApplication.start(database, new Class<?>[] {TakesStream.class})) {
            assertThat(application.getBean(TakesStream.class).receive("m-1", InputStream.nullInputStream()))
                    .isEqualTo("m-1");
        }
    }

    static class FinalMethod {

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        public final void receive(String id) {}
    }

    static class ReturnsPrimitive {

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        public boolean receive(String id) {
            return true;
        }
    }

    static class ReturnsFuture {

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        public Future<String> receive(String id) {
            return null;
        }
    }

    static class ConsumerIsBlank {

        @IdempotentReceiver(consumer = " ", messageId = "#id")
        public void receive(String id) {}
    }

    static class ConsumerOfUnknownPlaceholder {

        @IdempotentReceiver(consumer = "orders-${no.such.property}", messageId = "#id")
        public void receive(String id) {}
    }

    static class IdIsMissing {

        @IdempotentReceiver(consumer = "c", messageId = "")
        public void receive(String id) {}
    }

    static class IdIsNotSpel {

        @IdempotentReceiver(consumer = "c", messageId = "#id +")
        public void receive(String id) {}
    }

    static class PayloadOfUnknownParameter {

        @IdempotentReceiver(consumer = "c", messageId = "#id", payload = "#amount")
        public void receive(String id) {}
    }

    static class TypeIsNotSpel {

        @IdempotentReceiver(consumer = "c", messageId = "#id", type = "'")
        public void receive(String id) {}
    }

    static class StreamWithoutVersion {

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id")
        public void receive(String id) {}
    }

    static class VersionWithoutStream {

        @IdempotentReceiver(consumer = "c", messageId = "#id", version = "1")
        public void receive(String id) {}
    }

    static class OrderWithoutStream {

        @IdempotentReceiver(consumer = "c", messageId = "#id", order = DeliveryOrder.STRICT)
        public void receive(String id) {}
    }

    static class FirstVersionWithoutStrict {

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "1", firstVersion = 5)
        public void receive(String id) {}
    }

    static class PolicyWithoutPayload {

        @IdempotentReceiver(consumer = "c", messageId = "#id", onConflict = ConflictPolicy.SKIP)
        public void receive(String id) {}
    }

    static class RetentionIsNoDuration {

        @IdempotentReceiver(consumer = "c", messageId = "#id", retention = "7 days")
        public void receive(String id) {}
    }

    static class CacheableMethod {

        @Cacheable("messages")
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        public String receive(String id) {
            return id;
        }
    }

    static class ReadOnlyMethod {

        @Transactional(readOnly = true)
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        public void receive(String id) {}
    }

    static class NotSupported {

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        public void receive(String id) {}
    }

    static class NoRollbackFor {

        @Transactional(noRollbackFor = IllegalStateException.class)
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        public void receive(String id) {}
    }

    static class Both {

        @Idempotent(scope = "c", key = "#id")
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        public void receive(String id) {}
    }

    static class OneMethod {

        @IdempotentReceiver(consumer = "shared", messageId = "#id")
        public Object receive(String id) {
            return id;
        }
    }

    static class OtherMethod {

        @IdempotentReceiver(consumer = "shared", messageId = "#id")
        public void receive(String id) {}
    }

    static class CallOfTheSameName {

        @Idempotent(scope = "shared", key = "#key")
        public String call(String key) {
            return key;
        }
    }

    static class TakesStream {

        @IdempotentReceiver(consumer = "streams", messageId = "#id")
        public String receive(String id, InputStream body) {
            return id;
        }
    }
}
