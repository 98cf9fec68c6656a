package io.idempotency.boot.outbox;

import java.util.BitSet;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.KeyReusedException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A payload whose content is not in its JSON makes no effect, whichever way it comes, and says what to do. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForeignPayloadsTest {

    @AutoClose
    private final OutboxApplication application;

    private final Till till;

    ForeignPayloadsTest(TestDatabase database) {
        application = OutboxApplication.start(database, List.of(Till.class), "idempotency.outbox.relay=false");
        till = application.bean(Till.class);
    }

    @AfterEach
    void clear() {
        application.clear();
    }

    static List<Object> payloads() throws Exception {
        BitSet bits = new BitSet();
        bits.set(100);
        return List.of(
                bits,
                new Money(100),
                new JSONObject(Map.of("cents", 100)),
                new JSONArray(List.of(100)),
                new ObjectMapper().readTree("{\"cents\":100}"),
                new ObjectMapper().readTree("100"));
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void makeNoEffect(Object payload) {
        for (Object sent : List.of(payload, new Box(payload), List.of(payload), Map.of("member", payload))) {
            assertRefused("To compare something else, name it with fingerprint = \"...\"", () -> till.pay("key", sent));
            assertRefused("To compare something else, name it with payload = \"...\"", () -> till.receive("id", sent));
            assertRefused(
                    "To compare something else, give it to call(scope, key, request)",
                    () -> application
                            .bean(IdempotencyOperations.class)
                            .call("programmatic", "key", sent)
                            .run(() -> till.book("programmatic")));
            TransactionTemplate transaction =
                    new TransactionTemplate(application.bean(PlatformTransactionManager.class));
            OutboxMessage message =
                    OutboxMessage.of("topic", "Paid").payload(sent).build();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> transaction.execute(
                            status -> application.bean(Outbox.class).publish(message)))
                    .withMessageContaining("The payload of the message Paid for topic topic cannot be written as JSON: "
                            + "The state of " + payload.getClass().getName() + " is not in its JSON");
        }

        assertThat(application.invoices()).isEmpty();
        assertThat(application.messages()).isEmpty();
    }

    private static void assertRefused(String advice, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContainingAll("The state of ", " is not in its JSON", advice);
    }

    @Test
    void aMemberOfTheRequestAloneCounts() {
        till.pay("key", new Card("4111", null));
        till.pay("key", new Card("4111", null));

        assertThatThrownBy(() -> till.pay("key", new Card("5500", null))).isInstanceOf(KeyReusedException.class);
        assertThatThrownBy(() -> till.pay("key", new Card("4111", "vip")))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContainingAll("The member 'remark' of " + Card.class.getName(), "name it with fingerprint");
        assertThat(application.invoices()).containsExactly("1 key");
    }

    @Test
    void aMemberOfTheRequestAloneIsNotPublished() {
        TransactionTemplate transaction = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        transaction.execute(status -> application
                .bean(Outbox.class)
                .publish(OutboxMessage.of("topic", "Paid")
                        .payload(new Card("4111", "vip"))
                        .build()));

        assertThat(application
                        .bean(JdbcTemplate.class)
                        .queryForList("select payload::text from idempotency.outbox_event", String.class))
                .containsExactly("{\"holder\":\"h\"}");
    }

    record Box(Object content) {}

    static final class Money {

        private final long cents;

        Money(long cents) {
            this.cents = cents;
        }

        public String getCurrency() {
            return cents < 0 ? "" : "EUR";
        }
    }

    record Card(
            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            String number,

            @JsonIgnore String remark,
            String holder) {

        Card(String number, String remark) {
            this(number, remark, "h");
        }
    }

    static class Till {

        private final JdbcTemplate jdbc;

        Till(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "till", key = "#key", fingerprint = "#payload")
        public void pay(String key, Object payload) {
            book(key);
        }

        @Transactional
        @IdempotentReceiver(consumer = "till", messageId = "#id", payload = "#payload")
        public void receive(String id, Object payload) {
            book(id);
        }

        public void book(String consumer) {
            jdbc.update("insert into invoice (number, consumer) values (1, ?)", consumer);
        }
    }
}
