package io.idempotency.internal.response;

import java.lang.reflect.Type;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.UnreadableResponseException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** JSON that one version of a class has written, and another one reads. */
class StoredByAnotherVersionTest {

    private static final Intent INTENT = new Intent("payments", "ada", new IdempotencyKey("k"));

    private final JacksonResponseCodec codec = new JacksonResponseCodec(new JsonMapper());

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

    static Stream<Arguments> changed() {
        return Stream.of(
                arguments("{\"held\":1.5}", type(new ParameterizedTypeReference<Holder<Long>>() {})),
                arguments("{\"held\":\"5\"}", type(new ParameterizedTypeReference<Holder<Long>>() {})),
                arguments("[1,1]", type(new ParameterizedTypeReference<Set<Integer>>() {})),
                arguments("{\"name\":\" a\"}", Trimming.class));
    }

    record Trimming(@JsonProperty("name") String name) {

        Trimming {
            name = name.trim();
        }
    }

    @ParameterizedTest
    @MethodSource("changed")
    void aValueThatIsReadAsAnotherOneIsRefusedInAnArgument(String stored, Type type) {
        assertThat(mapper.read(INTENT, stored, type)).isNotNull();
        assertThatExceptionOfType(UnreadableResponseException.class)
                .isThrownBy(() -> mapper.readUnchanged(INTENT, stored, type));
    }

    @Test
    void jsonOfOthersNeedNotHaveTheMembersOfTheType() {
        assertThat(codec.decodeForeign("{\"receiptNumber\":\"7\",\"payTo\":\"bob\"}", Renamed.class))
                .isEqualTo(new Renamed(null, "bob"));
    }
}
