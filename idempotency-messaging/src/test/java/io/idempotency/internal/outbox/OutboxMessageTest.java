package io.idempotency.internal.outbox;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.outbox.OutboxMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What a message may say, and what its id and its lane are. */
class OutboxMessageTest {

    @Test
    void namesHaveLimits() {
        OutboxMessage.Builder message = OutboxMessage.of("t".repeat(249), "y".repeat(128))
                .orderingKey("\ud83d\ude00".repeat(255))
                .aggregate("a".repeat(128), "i".repeat(255))
                .deduplicationKey("d".repeat(255))
                .header("h".repeat(128), "v".repeat(1_024))
                .header("empty", "")
                .withoutPayload();

        assertThat(message.build().headers()).hasSize(2);
        assertRefused("The topic of a message has 250 characters", () -> OutboxMessage.of("t".repeat(250), "y"));
        assertRefused("The topic of a message is blank", () -> OutboxMessage.of(" ", "y"));
        assertRefused(
                "'idempotency.resume' of a message begins with 'idempotency.'",
                () -> OutboxMessage.of("idempotency.resume", "y"));
        assertRefused("The type of a message contains U+000A", () -> OutboxMessage.of("t", "a\nb"));
        assertRefused("The ordering key of a message is blank", () -> message.orderingKey(""));
        assertRefused("The aggregate id of a message has 256", () -> message.aggregate("a", "i".repeat(256)));
        assertRefused("The deduplication key of a message has 256", () -> message.deduplicationKey("d".repeat(256)));
        assertRefused("The header 'h' of a message contains U+000D", () -> message.header("h", "a\rb"));
        assertRefused("The header name of a message is blank", () -> message.header("", "v"));
    }

    @Test
    void aPayloadIsThereOrSaidNotToBe() {
        OutboxMessage.Builder message = OutboxMessage.of("orders", "OrderPlaced");
        assertThatIllegalStateException()
                .isThrownBy(message::build)
                .withMessage("The message OrderPlaced for topic orders has no payload: if it is to have none, such as a"
                        + " tombstone in Kafka, call withoutPayload()");
        assertRefused("The payload of a message is null", () -> message.payload(null));

        assertThat(message.withoutPayload().build().payload()).isNull();
        assertThat(message.payload(1).build().payload()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"message-id", "message-type"})
    void theLibrarysOwnHeadersCannotBeSet(String name) {
        assertRefused("is the library's own", () -> OutboxMessage.of("t", "y").headers(Map.of(name, "v")));
    }

    @Test
    void headersAreNotTooMany() {
        OutboxMessage.Builder message = OutboxMessage.of("t", "y");
        for (int i = 0; i < 64; i++) {
            message.header("h" + i, "v");
        }

        assertRefused("at most 64 headers", () -> message.header("one-more", "v"));
    }

    @Test
    void laterChangesOfTheBuilderDoNotReachTheMessage() {
        OutboxMessage.Builder builder =
                OutboxMessage.of("t", "y").withoutPayload().header("h", "1");
        OutboxMessage message = builder.build();
        builder.header("h", "2");

        assertThat(message.headers()).containsExactly(Map.entry("h", "1"));
    }

    @Test
    void idsAreVersion7UuidsInTheOrderOfTime() {
        Set<UUID> ids = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(MessageId.at(Clock.systemUTC()));
        }
        UUID id = MessageId.at(Clock.fixed(Instant.ofEpochMilli(0x017F22E279B0L), ZoneOffset.UTC));

        assertThat(ids).hasSize(1_000).allMatch(made -> made.version() == 7 && made.variant() == 2);
        assertThat(id.toString()).startsWith("017f22e2-79b0-7");
    }

    @Test
    void aKeyHasOneLaneAndKeysAreSpread() {
        Lanes lanes = new Lanes(64);
        int[] keys = new int[64];
        for (int i = 0; i < 64_000; i++) {
            keys[lanes.of("customer-" + i)]++;
        }

        assertThat(lanes.of("customer-7")).isEqualTo(lanes.of("customer-7"));
        assertThat(Arrays.stream(keys)).allMatch(count -> count > 500 && count < 2_000);
        assertThat(new Lanes(1).of("customer-7")).isZero();
        assertThat(lanes.of(null)).isBetween(0, 63);
        assertThatIllegalArgumentException().isThrownBy(() -> new Lanes(0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Lanes(1_025));
    }

    private static void assertRefused(String reason, Runnable building) {
        assertThatIllegalArgumentException().isThrownBy(building::run).withMessageContaining(reason);
    }
}
