package io.idempotency.internal.response;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.codec.ResponseCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class ResponseMapperTest {

    private static final Intent INTENT = new Intent("payments", "", new IdempotencyKey("order-42"));

    private static final int MAX_BYTES = 1_000;

    private final ResponseMapper mapper = mapper(new JsonMapper());

    private static ResponseMapper mapper(JsonMapper json) {
        return mapper(new JacksonResponseCodec(json));
    }

    private static ResponseMapper mapper(ResponseCodec... codecs) {
        return new ResponseMapper(List.of(codecs), MAX_BYTES, true);
    }

    private static ResponseMapper unverified() {
        return new ResponseMapper(List.of(new JacksonResponseCodec(new JsonMapper())), MAX_BYTES, false);
    }

    static List<Arguments> responses() {
        Instant nanos = Instant.parse("2026-02-03T04:05:06.123456789Z");
        Line line = new Line("book", new BigDecimal("12.50"));
        return List.of(
                arguments(line, Line.class),
                arguments(new Receipt(UUID.randomUUID(), Color.RED, List.of(line), Optional.of("x")), Receipt.class),
                arguments(new Receipt(null, null, List.of(), Optional.empty()), Receipt.class),
                arguments(List.of(line, line), new ParameterizedTypeReference<List<Line>>() {}.getType()),
                arguments(
                        Map.of("a", List.of(new BigDecimal("1.00"), new BigDecimal("1E+2"))),
                        new ParameterizedTypeReference<Map<String, List<BigDecimal>>>() {}.getType()),
                arguments(
                        new Page<>(List.of(new Page<>(List.of(line), 2)), 1),
                        new ParameterizedTypeReference<Page<Page<Line>>>() {}.getType()),
                arguments(Optional.of(line), new ParameterizedTypeReference<Optional<Line>>() {}.getType()),
                arguments(Optional.empty(), new ParameterizedTypeReference<Optional<Line>>() {}.getType()),
                arguments(null, Line.class),
                arguments(null, new ParameterizedTypeReference<List<Line>>() {}.getType()),
                arguments(Color.GREEN, Color.class),
                arguments(new BigDecimal("1.00"), BigDecimal.class),
                arguments(new BigDecimal("1E+2"), BigDecimal.class),
                arguments(new BigDecimal("0E-10"), BigDecimal.class),
                arguments(new BigDecimal("1E+1000000000"), BigDecimal.class),
                arguments(BigInteger.TWO.pow(2_000), BigInteger.class),
                arguments(nanos, Instant.class),
                arguments(LocalDate.of(2024, 2, 29), LocalDate.class),
                arguments(OffsetDateTime.parse("2026-02-03T04:05:06+02:00"), OffsetDateTime.class),
                arguments(ZonedDateTime.parse("2026-02-03T04:05:06+01:00[Europe/Berlin]"), ZonedDateTime.class),
                arguments(Duration.ofSeconds(90, 1), Duration.class),
                arguments(new byte[] {0, -1, 127}, byte[].class),
                arguments(new int[] {1, 2}, int[].class),
                arguments(5, int.class),
                arguments(true, boolean.class),
                arguments('x', char.class),
                arguments(Long.MAX_VALUE, long.class),
                arguments(0.1 + 0.2, double.class),
                arguments(Double.NaN, double.class),
                arguments("", String.class),
                arguments("\u0000\u0001\ud83d\ude00\u20ac\"\\", String.class),
                arguments(new Card("4711"), Method.class),
                arguments(
                        List.of(new Card("4711"), new Transfer("DE00")),
                        new ParameterizedTypeReference<List<Method>>() {}.getType()),
                arguments(
                        Map.of("a", Optional.of(new Transfer("DE00"))),
                        new ParameterizedTypeReference<Map<String, Optional<Method>>>() {}.getType()));
    }

    @ParameterizedTest
    @MethodSource("responses")
    void aResponseComesBackAsItWas(Object response, Type type) {
        String body = mapper.write(INTENT, response, type, false);

        assertThat(mapper.read(INTENT, body, type)).isEqualTo(response);
    }

    @Test
    void offsetsAndZonesSurviveAMapperThatHasATimeZone() {
        ResponseMapper berlin = mapper(JsonMapper.builder()
                .defaultTimeZone(TimeZone.getTimeZone("Europe/Berlin"))
                .build());
        OffsetDateTime time = OffsetDateTime.parse("2026-02-03T04:05:06-05:00");

        String body = berlin.write(INTENT, time, OffsetDateTime.class, false);

        assertThat(berlin.read(INTENT, body, OffsetDateTime.class)).isEqualTo(time);
    }

    @Test
    void aBodyOfAnOlderTypeIsRead() {
        assertThat(mapper.read(INTENT, "{\"name\":\"book\",\"price\":null,\"dropped\":1}", Line.class))
                .isEqualTo(new Line("book", null));
        assertThat(mapper.read(INTENT, "{\"name\":\"book\"}", Line.class)).isEqualTo(new Line("book", null));
    }

    @Nested
    class Codecs {

        private final ResponseCodec ofLines = new ResponseCodec() {
            @Override
            public boolean supports(Type type) {
                return type == Line.class;
            }

            @Override
            public String encode(Object response, Type type) {
                return '"' + ((Line) response).name() + '"';
            }

            @Override
            public Object decode(String body, Type type) {
                return new Line(body.substring(1, body.length() - 1), null);
            }
        };

        @Test
        void theFirstThatSupportsTheTypeIsUsed() {
            ResponseMapper both = mapper(ofLines, new JacksonResponseCodec(new JsonMapper()));

            assertThat(both.write(INTENT, new Line("book", null), Line.class, false))
                    .isEqualTo("\"book\"");
            assertThat(both.read(INTENT, "\"book\"", Line.class)).isEqualTo(new Line("book", null));
            assertThat(both.write(INTENT, List.of(1), List.class, false)).isEqualTo("[1]");
        }

        @Test
        void theirOrderDecides() {
            ResponseMapper both = mapper(new JacksonResponseCodec(new JsonMapper()), ofLines);

            assertThat(both.write(INTENT, new Line("book", null), Line.class, false))
                    .startsWith("{");
        }

        @Test
        void noneForATypeIsAnError() {
            assertThatThrownBy(() -> mapper(ofLines).write(INTENT, 1, int.class, false))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("int");
        }
    }

    @Nested
    class Verified {

        private final AtomicInteger readings = new AtomicInteger();

        private final ResponseCodec jackson = new JacksonResponseCodec(new JsonMapper());

        private final ResponseCodec counting = new ResponseCodec() {
            @Override
            public boolean supports(Type type) {
                return true;
            }

            @Override
            public String encode(Object response, Type type) {
                return jackson.encode(response, type);
            }

            @Override
            public Object decode(String body, Type type) {
                readings.incrementAndGet();
                return jackson.decode(body, type);
            }
        };

        @Test
        void isOnlyTheFirstWhereTheTypeLeavesNothingToTheValue() {
            assertThat(readingsOfTheThird(new Line("a", BigDecimal.ONE), Line.class, false))
                    .isZero();
            assertThat(readingsOfTheThird(
                            List.of(Color.RED), new ParameterizedTypeReference<List<Color>>() {}.getType(), false))
                    .isZero();
        }

        @Test
        void isEachWhereTheValueDecides() {
            assertThat(readingsOfTheThird(Map.of("a", 1), Map.class, false)).isOne();
            assertThat(readingsOfTheThird(new Forgetful(), Forgetful.class, false))
                    .isOne();
            assertThat(readingsOfTheThird(new Receipt(null, null, List.of(), Optional.empty()), Receipt.class, false))
                    .isOne();
            assertThat(readingsOfTheThird(new Line("a".repeat(1_000), BigDecimal.ONE), Line.class, false))
                    .isOne();
        }

        @Test
        void isEachWhereTheApplicationEscapesText() {
            SimpleModule escaping = new SimpleModule().addSerializer(String.class, new ValueSerializer<String>() {
                @Override
                public void serialize(String text, JsonGenerator json, SerializationContext context) {
                    json.writeString(text.replace("&", "&amp;"));
                }
            });
            ResponseMapper responses = new ResponseMapper(
                    List.of(new JacksonResponseCodec(
                            JsonMapper.builder().addModule(escaping).build())),
                    MAX_BYTES,
                    false);
            responses.write(INTENT, new Line("Tom", null), Line.class, false);

            assertThatThrownBy(() -> responses.write(INTENT, new Line("Tom & Jerry", null), Line.class, false))
                    .isInstanceOf(ResponseNotStorableException.class);
        }

        @Test
        void isEachIfTheConfigurationSaysSo() {
            assertThat(readingsOfTheThird(new Line("a", BigDecimal.ONE), Line.class, true))
                    .isOne();
        }

        @Test
        void isTheFirstOfEachScope() {
            ResponseMapper responses = new ResponseMapper(List.of(counting), 10_000, false);
            responses.write(INTENT, "a", String.class, false);
            responses.write(INTENT, "a", String.class, false);
            readings.set(0);

            responses.write(new Intent("refunds", "", new IdempotencyKey("order-42")), "a", String.class, false);

            assertThat(readings).hasValue(1);
        }

        private int readingsOfTheThird(Object response, Type type, boolean each) {
            ResponseMapper responses = new ResponseMapper(List.of(counting), 10_000, each);
            responses.write(INTENT, response, type, false);
            responses.write(INTENT, response, type, false);
            readings.set(0);
            responses.write(INTENT, response, type, false);
            return readings.get();
        }
    }

    @Nested
    class NotStorable {

        @Test
        void isABodyOverTheLimit() {
            String largest = "x".repeat(MAX_BYTES - 2);

            assertThat(mapper.write(INTENT, largest, String.class, false)).hasSize(MAX_BYTES);
            assertThatThrownBy(() -> mapper.write(INTENT, largest + "x", String.class, false))
                    .isInstanceOf(ResponseNotStorableException.class)
                    .hasMessageContainingAll("order-42", "payments", "1001 bytes", "max-response-size = 1000");
        }

        @Test
        void isABodyWhoseBytesAreOverTheLimitThoughItsCharactersAreNot() {
            String euros = "\u20ac".repeat(333);

            assertThat(euros.getBytes(StandardCharsets.UTF_8)).hasSize(999);
            assertThatThrownBy(() -> mapper.write(INTENT, euros, String.class, false))
                    .isInstanceOf(ResponseNotStorableException.class)
                    .hasMessageContaining("1001 bytes");
        }

        @Test
        void isHalfOfASurrogatePair() {
            assertThatThrownBy(() -> unverified().write(INTENT, new Line("\ud83d", null), Line.class, false))
                    .isInstanceOf(ResponseNotStorableException.class)
                    .hasMessageContaining("surrogate");
        }

        @Test
        void isWhatJacksonCannotWrite() {
            assertThatThrownBy(() -> unverified().write(INTENT, new Cyclic(), Cyclic.class, false))
                    .isInstanceOf(ResponseNotStorableException.class)
                    .hasMessageContaining(Cyclic.class.getName())
                    .hasCauseInstanceOf(RuntimeException.class);
        }

        @Test
        void isWhatCannotBeReadBackEvenIfItMayLoseSomething() {
            Named response = () -> "a";

            for (boolean lossy : List.of(false, true)) {
                assertThatThrownBy(() -> mapper.write(INTENT, response, Named.class, lossy))
                        .isInstanceOf(ResponseNotStorableException.class)
                        .hasMessageContaining("cannot be read back as " + Named.class.getName());
            }
        }

        @Test
        void isNotWhatIsMeantToLoseMembers() {
            Forgetful response = new Forgetful();
            response.token = "secret";

            assertThat(mapper.write(INTENT, response, Forgetful.class, true)).contains("secret");
        }

        @Test
        void isAFailureEachTimeUntilOneHasPassed() {
            ResponseMapper first = unverified();
            Forgetful lossy = new Forgetful();
            lossy.token = "secret";

            for (int call = 0; call < 2; call++) {
                assertThatThrownBy(() -> first.write(INTENT, lossy, Forgetful.class, false))
                        .isInstanceOf(ResponseNotStorableException.class);
            }
        }

        @Test
        void isAnObjectThatLeadsBackToItself() {
            Circular itself = new Circular();
            itself.next = itself;
            Circular both = new Circular();
            both.next = new Circular();
            both.next.next = both;

            for (Circular response : List.of(itself, both)) {
                assertThatThrownBy(() -> mapper.write(INTENT, response, Circular.class, false))
                        .isInstanceOf(ResponseNotStorableException.class)
                        .hasMessageContaining("return data that does not lead back to itself");
            }
        }

        @Test
        void isANumberLongerThanJacksonReads() {
            assertThatThrownBy(() -> new ResponseMapper(
                                    List.of(new JacksonResponseCodec(new JsonMapper())), 1_000_000, true)
                            .write(INTENT, BigInteger.TEN.pow(2_000), BigInteger.class, false))
                    .isInstanceOf(ResponseNotStorableException.class);
        }
    }

    @Nested
    class Unreadable {

        @Test
        void isATextThatIsNotJson() {
            assertUnreadable("{", Line.class);
            assertUnreadable("{} {}", Line.class);
            assertUnreadable("", Line.class);
        }

        @Test
        void isATextOfAnotherType() {
            assertUnreadable("[1]", Line.class);
            assertUnreadable("\"PURPLE\"", Color.class);
            assertUnreadable("null", int.class);
            assertUnreadable("{\"type\":\"cash\"}", Method.class);
        }

        @Test
        void isToldWithoutItsValues() {
            assertThatThrownBy(() -> mapper.read(
                            INTENT, "{\"lines\":[{\"name\":\"a\",\"price\":\"4111-1111\"}]}", Receipt.class))
                    .isInstanceOf(UnreadableResponseException.class)
                    .satisfies(failure -> assertThat(printed(failure))
                            .doesNotContain("4111-1111")
                            .contains("InvalidFormatException at ", "Receipt[\"lines\"]", "[\"price\"]"));
            assertThatThrownBy(() -> mapper.read(INTENT, "secret", Receipt.class))
                    .satisfies(failure -> assertThat(printed(failure))
                            .doesNotContain("secret")
                            .contains("StreamReadException"));
            assertThatThrownBy(() -> mapper.write(INTENT, new Secretive(), Secretive.class, false))
                    .isInstanceOf(ResponseNotStorableException.class)
                    .satisfies(failure -> assertThat(printed(failure))
                            .doesNotContain("4111-1111")
                            .contains("Secretive[\"number\"]", "because of java.lang.IllegalStateException"));
        }

        private static String printed(Throwable failure) {
            StringWriter text = new StringWriter();
            failure.printStackTrace(new PrintWriter(text));
            return text.toString();
        }

        private void assertUnreadable(String body, Class<?> type) {
            assertThatThrownBy(() -> mapper.read(INTENT, body, type))
                    .isInstanceOf(UnreadableResponseException.class)
                    .hasMessageContainingAll("order-42", type.getName())
                    .hasCauseInstanceOf(RuntimeException.class);
        }
    }

    @Test
    void aClassNameInTheTextIsNeverUsed() {
        String gadget = "[\"" + Gadget.class.getName() + "\",{\"name\":\"x\"}]";
        String member = "{\"@class\":\"" + Gadget.class.getName() + "\",\"name\":\"x\"}";

        assertThat(mapper.read(INTENT, gadget, Object.class)).isInstanceOf(List.class);
        assertThat(mapper.read(INTENT, member, Object.class)).isInstanceOf(Map.class);
        assertThatThrownBy(() -> mapper.read(INTENT, member, Method.class))
                .isInstanceOf(UnreadableResponseException.class);
        assertThatThrownBy(() -> mapper.read(
                        INTENT, "{\"type\":\"" + Gadget.class.getName() + "\",\"name\":\"x\"}", Method.class))
                .isInstanceOf(UnreadableResponseException.class);
        assertThat(Gadget.made).isZero();
    }

    record Line(String name, BigDecimal price) {}

    static final class Secretive {

        @SuppressWarnings("DoNotCallSuggester") // Jackson calls it.
        public String getNumber() {
            throw new IllegalStateException("4111-1111 is locked");
        }
    }

    record Receipt(UUID id, Color color, List<Line> lines, Optional<String> remark) {}

    record Page<T>(List<T> content, int number) {}

    enum Color {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "very green";
            }
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = Transfer.class, name = "transfer"),
    })
    sealed interface Method {}

    record Card(String number) implements Method {}

    record Transfer(String iban) implements Method {}

    static final class Gadget {

        private static int made;

        Gadget() {
            made++;
        }

        public String getName() {
            return "gadget";
        }
    }

    static final class Cyclic {

        public Cyclic getSelf() {
            return this;
        }
    }

    /** Nothing tells which class to make. */
    interface Named {

        String getName();
    }

    static final class Forgetful {

        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        public String token;
    }

    static final class Circular {

        public Circular next;
    }
}
