package io.idempotency.boot.chain;

import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import com.rabbitmq.client.Channel;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.AmqpAcknowledgment;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.ConflictPolicy;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A method that cannot receive messages as it stands is reported at start-up: which one, why, and what to change. */
@PostgresTest
class ReceiverRulesReportTest {

    private static final String ACKNOWLEDGE =
            "without @IdempotentReceiver call this method of another bean, and acknowledge";

    private final TestDatabase database;

    ReceiverRulesReportTest(TestDatabase database) {
        this.database = database;
    }

    static Stream<Arguments> rules() {
        return Stream.of(
                arguments("finalMethod", "@IdempotentReceiver stands on a final method", "neither final"),
                arguments("returnsPrimitive", "returns boolean, but for a duplicate", "a type that can be null"),
                arguments(
                        "returnsFuture", "Future<java.lang.String>, which is not complete", "Return the result itself"),
                arguments("consumerIsBlank", "The consumer ' ' of @IdempotentReceiver", "Add consumer = "),
                arguments("consumerOfUnknownPlaceholder", "'orders-${no.such.property}'", "Define the property"),
                arguments("idIsMissing", "The messageId '' of @IdempotentReceiver", "Add messageId = "),
                arguments("idIsNotSpel", "The messageId of @IdempotentReceiver", "Correct the expression"),
                arguments("payloadOfUnknownParameter", "there is no #amount", "Use the names of the parameters"),
                arguments("typeIsNotSpel", "The type of @IdempotentReceiver", "Correct the expression"),
                arguments("streamWithoutVersion", "The version '' of @IdempotentReceiver", "Add version = "),
                arguments("versionWithoutStream", "The stream '' of @IdempotentReceiver", "Add stream = "),
                arguments("orderWithoutStream", "order 'STRICT'", "Add stream and version"),
                arguments("firstVersionWithoutStrict", "firstVersion '5'", "Add order = STRICT"),
                arguments("streamOfOptional", "The stream '#p1' of", "as in #id.orElse(null)"),
                arguments(
                        "streamOfList",
                        "gives a java.util.List, but it must give a string",
                        "all messages of a stream"),
                arguments("streamOfPart", "has the part #p1, a java.util.List, but", "all messages of a stream"),
                arguments("versionOfOptional", "The version '#p1' of", "as in #id.orElse(null)"),
                arguments("versionOfFraction", "gives a double, but it must give a whole number", "grows with each"),
                arguments("versionOfText", "gives a java.lang.String, but it must give a whole number", "grows with"),
                arguments("versionOfDecimal", "gives a java.math.BigDecimal, but", "Use a number that grows with each"),
                arguments("versionOfMoment", "gives a java.time.Instant, but", "Use a number that grows with each"),
                arguments("versionOfPart", "has the part #p1, a float, but", "Use a number that grows with each"),
                arguments("policyWithoutPayload", "onConflict 'SKIP'", "Name the payload"),
                arguments("retentionIsNoDuration", "retention '7 days'", "Write one such as"),
                arguments("acknowledgesKafka", "of type org.springframework.kafka.support.Acknowledgment", ACKNOWLEDGE),
                arguments("acknowledgesRabbit", "of type com.rabbitmq.client.Channel", ACKNOWLEDGE),
                arguments("acknowledgesJms", "of type jakarta.jms.Session", ACKNOWLEDGE),
                arguments("commitsOffsets", "of type org.apache.kafka.clients.consumer.Consumer<?, ?>", ACKNOWLEDGE),
                arguments("acknowledgesPerhaps", "of type java.util.Optional<org.springframework.kafka", ACKNOWLEDGE),
                arguments("acknowledgesAsSubtype", "of type " + QueueSession.class.getName(), ACKNOWLEDGE),
                arguments("acknowledgesAsVariable", "has a parameter of type A", ACKNOWLEDGE),
                arguments("acknowledgesAmqp", "AmqpAcknowledgment", ACKNOWLEDGE),
                arguments("acknowledgesAsCall", "before the COMMIT, and not at all", "without @Idempotent call this"),
                arguments("cacheableMethod", "is @Cacheable too", "Remove @Cacheable"),
                arguments("readOnlyMethod", "has a read-only transaction", "Remove readOnly = true"),
                arguments("notSupported", "runs outside of transactions", "REQUIRED or REQUIRES_NEW."),
                arguments("noRollbackFor", "a rule not to roll back", "Remove noRollbackFor"),
                arguments("both", "has both @Idempotent and @IdempotentReceiver", "Keep @IdempotentReceiver"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theMethodIsRefusedAndToldWhatToChange(String method, String problem, String action) {
        MethodRules.assertRefused(Refused.class, method, problem, action);
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
        assertThatCode(() -> new MethodRules().check(TakesStream.class, "receive"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"number", "anything", "comparable", "generic", "big", "small", "sum", "path"})
    void aVersionMayHaveATypeWhoseObjectsMayBeWholeNumbers(String method) {
        assertThatCode(() -> new MethodRules().check(Versions.class, method)).doesNotThrowAnyException();
    }

    record Change(Instant time, long number) {}

    abstract static class Versions {

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void number(String id, Number version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void anything(String id, Object version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void comparable(String id, Comparable<Long> version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract <N extends Number> void generic(String id, N version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void big(String id, BigInteger version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void small(String id, short version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1 + 1")
        abstract void sum(String id, Long version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#p1.time.toString()", version = "#p1.number")
        abstract void path(String id, Change change);
    }

    abstract static class Refused {

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        final void finalMethod(String id) {}

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract boolean returnsPrimitive(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract Future<String> returnsFuture(String id);

        @IdempotentReceiver(consumer = " ", messageId = "#id")
        abstract void consumerIsBlank(String id);

        @IdempotentReceiver(consumer = "orders-${no.such.property}", messageId = "#id")
        abstract void consumerOfUnknownPlaceholder(String id);

        @IdempotentReceiver(consumer = "c", messageId = "")
        abstract void idIsMissing(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id +")
        abstract void idIsNotSpel(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id", payload = "#amount")
        abstract void payloadOfUnknownParameter(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id", type = "'")
        abstract void typeIsNotSpel(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id")
        abstract void streamWithoutVersion(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id", version = "1")
        abstract void versionWithoutStream(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id", order = DeliveryOrder.STRICT)
        abstract void orderWithoutStream(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "1", firstVersion = 5)
        abstract void firstVersionWithoutStrict(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#p1", version = "1")
        abstract void streamOfOptional(String id, Optional<String> customer);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#p1", version = "1")
        abstract void streamOfList(String id, List<String> customers);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "'customer-' + #p1", version = "1")
        abstract void streamOfPart(String id, List<String> customers);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void versionOfOptional(String id, Optional<Long> version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void versionOfFraction(String id, double version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void versionOfText(String id, String version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1")
        abstract void versionOfDecimal(String id, BigDecimal version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "#p1.time")
        abstract void versionOfMoment(String id, Change change);

        @IdempotentReceiver(consumer = "c", messageId = "#id", stream = "#id", version = "1 + #p1")
        abstract void versionOfPart(String id, float version);

        @IdempotentReceiver(consumer = "c", messageId = "#id", onConflict = ConflictPolicy.SKIP)
        abstract void policyWithoutPayload(String id);

        @IdempotentReceiver(consumer = "c", messageId = "#id", retention = "7 days")
        abstract void retentionIsNoDuration(String id);

        @KafkaListener(topics = "t")
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void acknowledgesKafka(String id, Acknowledgment acknowledgment);

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void acknowledgesRabbit(String id, Channel channel, long tag);

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void acknowledgesJms(String id, Session session);

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void commitsOffsets(String id, Consumer<?, ?> consumer);

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void acknowledgesPerhaps(String id, Optional<Acknowledgment> acknowledgment);

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void acknowledgesAsSubtype(String id, QueueSession session);

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract <A extends Acknowledgment> void acknowledgesAsVariable(String id, A acknowledgment);

        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void acknowledgesAmqp(String id, AmqpAcknowledgment acknowledgment);

        @Idempotent(scope = "c", key = "#id", fingerprint = "#id")
        abstract void acknowledgesAsCall(String id, Acknowledgment acknowledgment);

        @Cacheable("messages")
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract String cacheableMethod(String id);

        @Transactional(readOnly = true)
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void readOnlyMethod(String id);

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void notSupported(String id);

        @Transactional(noRollbackFor = IllegalStateException.class)
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void noRollbackFor(String id);

        @Idempotent(scope = "c", key = "#id")
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void both(String id);
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

    abstract static class TakesStream {

        @IdempotentReceiver(consumer = "streams", messageId = "#id")
        abstract String receive(String id, InputStream body);
    }
}
