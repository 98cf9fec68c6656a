package io.idempotency.internal.response;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.UnreadableResponseException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** JSON that one version of a class has written, and another one reads. */
class StoredByAnotherVersionTest {

    private static final Intent INTENT = new Intent("payments", "ada", new IdempotencyKey("k"));

    private final JacksonResponseCodec codec = new JacksonResponseCodec(new JsonMapper());

    private final JacksonResponseCodec messages = JacksonResponseCodec.ofMessages(new JsonMapper());

    private final ResponseMapper mapper = new ResponseMapper(List.of(codec), 1_000_000, true);

    record Receipt(String receiptNumber, String payTo) {}

    record Renamed(String number, String payTo) {}

    record Added(
            String receiptNumber, String payTo, @Nullable String note) {}

    record Removed(String payTo) {}

    record Swapped(String payTo, String receiptNumber) {}

    record Aliased(@JsonAlias("receiptNumber") String number, String payTo) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record RenamedNonNull(@Nullable String number, String payTo) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    record RenamedTolerant(String number, String payTo) {}

    static class RenamedBean {
        public String number = "none";

        private String payTo = "";

        public String getPayTo() {
            return payTo;
        }

        public void setPayTo(String payTo) {
            this.payTo = payTo;
        }
    }

    record Defaulted(String number, String payTo) {

        Defaulted {
            number = number == null ? "unknown" : number;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Card.class, name = "card"))
    interface Means {}

    record Card(String number) implements Means {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = RenamedCard.class, name = "card"))
    interface RenamedMeans {}

    record RenamedCard(String pan) implements RenamedMeans {}

    record Holder<T>(T held) {}

    static class Wrapper<T> {

        @JsonUnwrapped
        public @Nullable T held;

        static <T> Wrapper<T> of(T held) {
            Wrapper<T> wrapper = new Wrapper<>();
            wrapper.held = held;
            return wrapper;
        }
    }

    record Immutable(Set<Means> means) {

        Immutable {
            means = Set.copyOf(means);
        }
    }

    record Computed(Instant until, String name) {

        static boolean expired;

        public boolean isExpired() {
            return expired;
        }
    }

    private static final Receipt RECEIPT = new Receipt("7", "bob");

    private static Type type(ParameterizedTypeReference<?> reference) {
        return reference.getType();
    }

    static Stream<Arguments> renamed() {
        return Stream.of(
                arguments(RECEIPT, Receipt.class, Renamed.class, "$.receiptNumber"),
                arguments(RECEIPT, Receipt.class, RenamedNonNull.class, "$.receiptNumber"),
                arguments(RECEIPT, Receipt.class, RenamedTolerant.class, "$.receiptNumber"),
                arguments(RECEIPT, Receipt.class, RenamedBean.class, "$.receiptNumber"),
                arguments(RECEIPT, Receipt.class, Defaulted.class, "$.receiptNumber"),
                arguments(
                        List.of(RECEIPT),
                        type(new ParameterizedTypeReference<List<Receipt>>() {}),
                        type(new ParameterizedTypeReference<List<Renamed>>() {}),
                        "$[0].receiptNumber"),
                arguments(
                        Map.of("a", Optional.of(RECEIPT)),
                        type(new ParameterizedTypeReference<Map<String, Optional<Receipt>>>() {}),
                        type(new ParameterizedTypeReference<Map<String, Optional<Renamed>>>() {}),
                        "$.a.receiptNumber"),
                arguments(
                        new Holder<>(new Receipt[] {RECEIPT}),
                        type(new ParameterizedTypeReference<Holder<Receipt[]>>() {}),
                        type(new ParameterizedTypeReference<Holder<Renamed[]>>() {}),
                        "$.held[0].receiptNumber"),
                arguments(
                        Wrapper.of(RECEIPT),
                        type(new ParameterizedTypeReference<Wrapper<Receipt>>() {}),
                        type(new ParameterizedTypeReference<Wrapper<Renamed>>() {}),
                        "$.receiptNumber"),
                arguments(
                        new Holder<Means>(new Card("4711")),
                        type(new ParameterizedTypeReference<Holder<Means>>() {}),
                        type(new ParameterizedTypeReference<Holder<RenamedMeans>>() {}),
                        "$.held.number"));
    }

    @ParameterizedTest
    @MethodSource("renamed")
    void aMemberThatLooksRenamedIsNeverNull(Object written, Type older, Type newer, String path) {
        String stored = codec.encode(written, older);

        assertThatExceptionOfType(UnreadableResponseException.class)
                .isThrownBy(() -> mapper.read(INTENT, stored, newer))
                .havingCause()
                .withMessageContaining(path + ", which the type does not know, while $.")
                .withMessageNotContaining("4711");
        assertThatExceptionOfType(UnreadableResponseException.class)
                .isThrownBy(() -> mapper.readUnchanged(INTENT, stored, newer));
    }

    static Stream<Arguments> readable() {
        return Stream.of(
                arguments(Added.class, new Added("7", "bob", null)),
                arguments(Aliased.class, new Aliased("7", "bob")),
                arguments(Swapped.class, new Swapped("bob", "7")));
    }

    @ParameterizedTest
    @MethodSource("readable")
    void nothingIsLost(Type newer, Object read) {
        String stored = codec.encode(RECEIPT, Receipt.class);

        assertThat(mapper.read(INTENT, stored, newer)).isEqualTo(read);
        assertThat(mapper.readUnchanged(INTENT, stored, newer)).isEqualTo(read);
    }

    @Test
    void aMemberThatIsOnlyRemovedIsLeftOutOfAResponseAndMissesInAnArgument() {
        String stored = codec.encode(RECEIPT, Receipt.class);

        assertThat(mapper.read(INTENT, stored, Removed.class)).isEqualTo(new Removed("bob"));
        assertThatExceptionOfType(UnreadableResponseException.class)
                .isThrownBy(() -> mapper.readUnchanged(INTENT, stored, Removed.class))
                .havingCause()
                .withMessage("The stored JSON has $.receiptNumber, which the type does not know");
    }

    @Test
    void aMemberThatWasNullMayBeRenamed() {
        String stored = codec.encode(new Added("7", "bob", null), Added.class);

        assertThat(mapper.readUnchanged(INTENT, stored, Receipt.class)).isEqualTo(RECEIPT);
        assertThat(mapper.read(INTENT, "{\"receiptNumber\":null,\"payTo\":\"bob\"}", Renamed.class))
                .isEqualTo(new Renamed(null, "bob"));
    }

    @Test
    void theOrderOfASetDoesNotCount() {
        Map<String, Object> body = new HashMap<>();
        body.put("means", List.of(Map.of("@type", "card", "number", "1"), Map.of("@type", "card", "number", "2")));
        String stored = new JsonMapper().writeValueAsString(body);
        String reversed =
                stored.replace("\"1\"", "\"x\"").replace("\"2\"", "\"1\"").replace("\"x\"", "\"2\"");

        Object expected = new Immutable(Set.of(new Card("1"), new Card("2")));
        assertThat(mapper.readUnchanged(INTENT, stored, Immutable.class)).isEqualTo(expected);
        assertThat(mapper.readUnchanged(INTENT, reversed, Immutable.class)).isEqualTo(expected);
    }

    @Test
    void aMemberThatIsComputedMayHaveAnotherValue() {
        String stored = codec.encode(new Computed(Instant.EPOCH, "a"), Computed.class);
        Computed.expired = true;

        assertThat(mapper.readUnchanged(INTENT, stored, Computed.class)).isEqualTo(new Computed(Instant.EPOCH, "a"));
    }

    /** Each is read, by a lenient reader or a constructor, as another value. */
    static Stream<Arguments> changed() {
        return Stream.of(
                arguments("{\"held\":100.50}", held(long.class), "$.held"),
                arguments("{\"held\":1.5}", held(Long.class), "$.held"),
                arguments("{\"held\":0.5}", held(BigInteger.class), "$.held"),
                arguments("{\"held\":200}", held(Byte.class), "$.held"),
                arguments("{\"held\":16777217}", held(Float.class), "$.held"),
                arguments("{\"held\":9007199254740993}", held(Double.class), "$.held"),
                arguments("{\"held\":0.1234567890123456789}", held(Object.class), "$.held"),
                arguments("{\"held\":1}", held(Boolean.class), "$.held"),
                arguments("{\"held\":\"\"}", held(Integer.class), "$.held"),
                arguments("{\"held\":\"\"}", held(Boolean.class), "$.held"),
                arguments("{\"held\":1}", held(TimeUnit.class), "$.held"),
                arguments("{\"held\":\" 5\"}", held(Long.class), "$.held"),
                arguments("{\"held\":\"2026-02-03T04:05:06Z\"}", held(LocalDate.class), "$.held"),
                arguments("{\"held\":\"2026-02-03T04:05:06Z\"}", held(LocalDateTime.class), "$.held"),
                arguments("{\"held\":\"2026-02-03T04:05:06.123456789Z\"}", held(Date.class), "$.held"),
                arguments("{\"held\":\"04:05:06\"}", Minutes.class, "$.held"),
                arguments("{\"held\":\"a\"}", Tolerant.class, "$.held"),
                arguments("{\"held\":[100.50]}", held(long[].class), "$.held[0]"),
                arguments("{\"held\":[\"b\",\"a\"]}", Sorting.class, "$.held[0]"),
                arguments("[1,1]", type(new ParameterizedTypeReference<Set<Integer>>() {}), "$"),
                arguments("[[1],[2.5]]", type(new ParameterizedTypeReference<Set<List<Long>>>() {}), "$[1][0]"),
                arguments(
                        "{\"a\":{\"held\":7.9}}",
                        type(new ParameterizedTypeReference<Map<String, Deep>>() {}),
                        "$.a.held"),
                arguments("{\"held\":7.9}", Rounding.class, "$.held"),
                arguments("{\"held\":7.9,\"other\":1}", Flat.class, "$.held"),
                arguments("{\"cents\":7.9}", AliasedCents.class, "$.cents"));
    }

    private static Type held(Class<?> type) {
        return ResolvableType.forClassWithGenerics(Holder.class, ClassUtils.resolvePrimitiveIfNecessary(type))
                .getType();
    }

    record Minutes(LocalTime held) {

        Minutes {
            held = held.truncatedTo(ChronoUnit.MINUTES);
        }
    }

    record Tolerant(
            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
            List<String> held) {}

    record Sorting(List<String> held) {

        Sorting {
            held = held.stream().sorted().toList();
        }
    }

    /** Has the name of a member that another class computes. */
    record Deep(long held) {}

    static final class Rounding {

        private final long rounded;

        @JsonCreator
        Rounding(@JsonProperty("held") @JsonDeserialize(using = RoundingReader.class) long held) {
            this.rounded = held;
        }

        @JsonProperty("held")
        long rounded() {
            return rounded;
        }
    }

    static final class RoundingReader extends ValueDeserializer<Long> {

        @Override
        public Long deserialize(JsonParser parser, DeserializationContext context) {
            return Math.round(parser.getDoubleValue());
        }
    }

    static class Flat {

        @JsonUnwrapped
        public @Nullable Deep deep;

        public int other;
    }

    record AliasedCents(@JsonAlias("cents") long total) {}

    @ParameterizedTest
    @MethodSource("changed")
    void aValueThatIsReadAsAnotherOneIsRefused(String stored, Type type, String path) {
        for (ThrowingCallable read : List.<ThrowingCallable>of(
                () -> mapper.read(INTENT, stored, type), () -> mapper.readUnchanged(INTENT, stored, type))) {
            assertThatExceptionOfType(UnreadableResponseException.class)
                    .isThrownBy(read)
                    .havingCause()
                    .withMessageStartingWith("The stored JSON has " + path + ", which ");
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> messages.decodeForeign(stored, type))
                .withMessageStartingWith("The stored JSON has " + path + ", which ");
    }

    record Dotted(@JsonFormat(pattern = "dd.MM.yyyy") LocalDate held) {}

    record Seconds(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Duration held) {}

    /** Each has the format of a date or duration, or the name of a subtype, that an older version of the class had. */
    static Stream<Arguments> formatted() {
        return Stream.of(
                arguments("{\"held\":\"2026-02-03\"}", Dotted.class),
                arguments("{\"held\":\"03.02.2026\"}", held(LocalDate.class)),
                arguments("{\"held\":\"PT1M30S\"}", Seconds.class),
                arguments("{\"held\":90}", held(Duration.class)),
                arguments("{\"held\":{\"@type\":\"credit-card\",\"number\":\"1\"}}", held(Means.class)));
    }

    @ParameterizedTest
    @MethodSource("formatted")
    void aFormatOrASubtypeThatHasAnotherNameIsRefused(String stored, Type type) {
        assertThatExceptionOfType(UnreadableResponseException.class)
                .isThrownBy(() -> mapper.read(INTENT, stored, type));
    }

    /** Each is read as what it means. */
    static Stream<Arguments> same() {
        return Stream.of(
                arguments("{\"held\":100.00}", held(Long.class), true),
                arguments("{\"held\":1E2}", held(BigDecimal.class), true),
                arguments("{\"held\":0.1}", held(Double.class), true),
                arguments("{\"held\":null,\"more\":1}", held(String.class), true),
                arguments("{}", held(String.class), true),
                arguments("{\"held\":\"2026-02-03T04:05:06.5+00:00\"}", held(Instant.class), true),
                arguments("{\"held\":\"2026-02-03T05:05:06.123456+01:00\"}", held(OffsetDateTime.class), true),
                arguments("{\"held\":\"2026-02-03T05:05:06+01:00\"}", held(Instant.class), true),
                arguments("{\"held\":\"2026-02-03T04:05\"}", held(LocalDateTime.class), true),
                arguments("{\"held\":1770091506}", held(Instant.class), false),
                arguments("{\"held\":\"5\"}", held(Long.class), false),
                arguments("{\"held\":\"100.50\"}", held(BigDecimal.class), false),
                arguments("{\"held\":5}", held(String.class), false),
                arguments("{\"held\":\" a\"}", Trimming.class, false));
    }

    record Trimming(String held) {

        Trimming {
            held = held == null ? null : held.trim();
        }
    }

    /** @param stored whether the library or SQL may have stored it so, beside other programs that send messages */
    @ParameterizedTest
    @MethodSource("same")
    void aValueThatMeansTheSameIsRead(String json, Type type, boolean stored) {
        assertThat(messages.decodeForeign(json, type)).isNotNull();
        if (stored) {
            assertThat(mapper.read(INTENT, json, type)).isNotNull();
        } else {
            assertThatExceptionOfType(UnreadableResponseException.class)
                    .isThrownBy(() -> mapper.read(INTENT, json, type));
        }
    }

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Transfer(String from, String to) {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record SwappedTransfer(String to, String from) {}

    record Transfers(
            @JsonFormat(shape = JsonFormat.Shape.ARRAY) Receipt receipt, Transfer transfer) {}

    @Test
    void aClassThatIsWrittenAsAnArrayIsStoredWithNames() {
        String stored = mapper.write(INTENT, new Transfer("ada", "bob"), Transfer.class, false);

        assertThat(mapper.read(INTENT, stored, SwappedTransfer.class)).isEqualTo(new SwappedTransfer("bob", "ada"));
        assertThat(codec.encode(new Transfers(RECEIPT, new Transfer("ada", "bob")), Transfers.class))
                .doesNotContain("[");
        assertThat(messages.encode(new Transfer("ada", "bob"), Transfer.class)).isEqualTo("[\"ada\",\"bob\"]");
    }

    /** Each has a member that is written and not read. */
    static final class Clock {

        static long now;

        public String name = "";

        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        public long getTime() {
            return now;
        }

        public String getInitial() {
            return now == 0 ? "" : name.substring(5);
        }
    }

    @Test
    void aComputedMemberMayHaveAnotherValueOrNone() {
        Clock clock = new Clock();
        clock.name = "ada";
        String stored = mapper.write(INTENT, clock, Clock.class, false);
        Clock.now++;

        assertThat(((Clock) mapper.readUnchanged(INTENT, stored, Clock.class)).name)
                .isEqualTo("ada");
        assertThat(((Clock) mapper.read(INTENT, stored, Clock.class)).name).isEqualTo("ada");
    }

    /** Shows nothing of what it has read. */
    static final class Closed {

        private final long cents;

        @JsonCreator
        Closed(@JsonProperty("cents") long cents) {
            this.cents = cents;
        }

        long cents() {
            return cents;
        }
    }

    @Test
    void aHandlersTypeNeedNotShowWhatItReads() {
        assertThat(((Closed) messages.decodeForeign("{\"cents\":100,\"more\":1}", Closed.class)).cents())
                .isEqualTo(100);
        assertThatIllegalStateException().isThrownBy(() -> messages.decodeForeign("{\"cents\":100.50}", Closed.class));
    }

    @Test
    void jsonOfOthersNeedNotHaveTheMembersOfTheType() {
        assertThat(messages.decodeForeign("{\"receiptNumber\":\"7\",\"payTo\":\"bob\"}", Renamed.class))
                .isEqualTo(new Renamed(null, "bob"));
    }
}
