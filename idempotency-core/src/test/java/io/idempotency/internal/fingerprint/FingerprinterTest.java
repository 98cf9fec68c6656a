package io.idempotency.internal.fingerprint;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.PayloadNotFingerprintableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class FingerprinterTest {

    private static final Method[] METHODS = Stream.of(Methods.class.getDeclaredMethods())
            .sorted(Comparator.comparing(Method::getParameterCount))
            .toArray(Method[]::new);

    private final Fingerprinter fingerprinter = new Fingerprinter(new JsonMapper());

    @Test
    void theOrderOfASetDoesNotCount() {
        Set<String> one = new LinkedHashSet<>(List.of("Aa", "BB", "cc"));
        Set<String> other = new LinkedHashSet<>(List.of("cc", "BB", "Aa"));

        assertThat(fingerprinter.of(one)).isEqualTo(fingerprinter.of(other));
        assertThat(fingerprinter.of(new Tagged(1, one))).isEqualTo(fingerprinter.of(new Tagged(1, other)));
        assertThat(fingerprinter.of(List.of(Map.of("tags", one))))
                .isEqualTo(fingerprinter.of(List.of(Map.of("tags", other))));
    }

    @Test
    void theElementsOfASetCount() {
        assertThat(fingerprinter.of(new Tagged(1, Set.of("a", "b"))))
                .isNotEqualTo(fingerprinter.of(new Tagged(1, Set.of("a"))));
        assertThat(fingerprinter.of(Set.of(1, 2))).isNotEqualTo(fingerprinter.of(Set.of(12)));
    }

    @Test
    void theOrderOfAListCounts() {
        assertThat(fingerprinter.of(List.of("a", "b"))).isNotEqualTo(fingerprinter.of(List.of("b", "a")));
    }

    @Test
    void aMemberThatShowsNothingToJsonIsRefusedAtAnyDepth() {
        assertThatThrownBy(() -> fingerprinter.of(new Transfer(new Silent(1), new Silent(2))))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContaining("is not in its JSON");
    }

    private record Tagged(int id, Set<String> tags) {}

    private record Transfer(Silent from, Silent to) {}

    private static final class Silent {

        private final int id;

        Silent(int id) {
            this.id = id;
        }

        @Override
        public String toString() {
            return "account " + id;
        }
    }

    @Test
    void isSha256OverTheVersionAndTheCanonicalJson() throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update((byte) 1);
        byte[] expected = digest.digest("{\"amount\":125E-1,\"currency\":\"\u20ac\"}".getBytes(StandardCharsets.UTF_8));

        Fingerprint fingerprint =
                fingerprinter.of(new TreeMap<>(Map.of("currency", "\u20ac", "amount", new BigDecimal("12.50"))));

        assertThat(fingerprint).isEqualTo(new Fingerprint(1, expected));
        assertThat(fingerprint.hash()).hasSize(32);
    }

    @Test
    void hashesOfDifferentAlgorithmsNeverContradict() {
        Fingerprint today = fingerprinter.of("payload");
        Fingerprint tomorrow = new Fingerprint(
                Fingerprinter.VERSION + 1, fingerprinter.of("other").hash());

        assertThat(today.contradicts(tomorrow)).isFalse();
        assertThat(tomorrow.contradicts(today)).isFalse();
        assertThat(today.contradicts(fingerprinter.of("other"))).isTrue();
        assertThat(today.contradicts(fingerprinter.of("payload"))).isFalse();
    }

    @Test
    void aFingerprintCannotBeChangedFromOutside() {
        byte[] hash = fingerprinter.of("payload").hash();
        Fingerprint fingerprint = new Fingerprint(1, hash);
        hash[0]++;
        fingerprint.hash()[1]++;

        assertThat(fingerprint).isEqualTo(fingerprinter.of("payload"));
    }

    @Nested
    class Equal {

        @Test
        void whateverTheOrderOfMembers() {
            Map<String, Object> sorted = new LinkedHashMap<>();
            sorted.put("accountId", "alice");
            sorted.put("amountCents", 1250);
            Map<String, Object> unsorted = new LinkedHashMap<>();
            unsorted.put("amountCents", 1250);
            unsorted.put("accountId", "alice");

            assertSame(sorted, unsorted);
            assertThat(fingerprinter.of(new Payment("alice", 1250, null), Payment.class))
                    .isEqualTo(fingerprinter.of(sorted));
        }

        @Test
        void aNewOptionalMemberThatIsNotUsed() {
            assertThat(fingerprinter.of(new Payment("alice", 1250, null), Payment.class))
                    .isEqualTo(fingerprinter.of(new OldPayment("alice", 1250), OldPayment.class));
            assertThat(fingerprinter.of(new Order(new Payment("alice", 1250, null)), Order.class))
                    .isEqualTo(fingerprinter.of(new OldOrder(new OldPayment("alice", 1250)), OldOrder.class));
        }

        @Test
        void numbersOfTheSameValue() {
            assertSame(new BigDecimal("1.0"), new BigDecimal("1.00"));
            assertSame(new BigDecimal("1E+2"), 100);
            assertSame(100L, BigInteger.valueOf(100));
            assertSame(-0.0, 0);
            assertSame(0.1f, new BigDecimal("0.1"));
        }

        @Test
        void trailingArgumentsThatAreAbsent() {
            assertThat(arguments("alice", 1250, null, null)).isEqualTo(arguments("alice", 1250));
            assertThat(arguments("alice", 1250, Optional.empty())).isEqualTo(arguments("alice", 1250));
            assertThat(arguments((Object) null)).isEqualTo(arguments());
        }

        @Test
        void anOptionalAndItsValue() {
            assertSame(Optional.of("x"), "x");
            assertSame(Optional.empty(), null);
            assertThat(arguments(Optional.of(7), 1)).isEqualTo(arguments(7, 1));
        }

        @Test
        void whateverTheMapperIndents() {
            Fingerprinter indenting = new Fingerprinter(JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build());
            Object payload = Map.of("a", List.of(1, Map.of("b", 2)));

            assertThat(indenting.of(payload)).isEqualTo(fingerprinter.of(payload));
        }

        private void assertSame(Object one, Object other) {
            assertThat(fingerprinter.of(one)).isEqualTo(fingerprinter.of(other));
        }
    }

    @Nested
    class Different {

        @Test
        void numbersThatADoubleCannotTellApart() {
            assertDiffer(9_007_199_254_740_993L, 9_007_199_254_740_992L);
            assertDiffer(
                    BigInteger.TWO.pow(64).add(BigInteger.ONE),
                    BigInteger.TWO.pow(64).add(BigInteger.TWO));
            assertDiffer(BigInteger.TEN.pow(2_000), BigInteger.TEN.pow(2_000).add(BigInteger.ONE));
            assertDiffer(new BigDecimal("1E+1000000000"), new BigDecimal("2E+1000000000"));
        }

        @Test
        void numbersThatAreNone() {
            assertDiffer(Double.NaN, Double.POSITIVE_INFINITY);
            assertDiffer(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
            assertDiffer(Double.NaN, 0);
        }

        @Test
        void textsThatUtf8CannotCarry() {
            assertDiffer("\ud800", "\ud801");
            assertDiffer("\ud800", "?");
            assertDiffer("\ud800", "\\ud800");
        }

        @Test
        void theOrderOfElementsAndArguments() {
            assertDiffer(List.of(1, 2), List.of(2, 1));
            assertThat(arguments("a", "b")).isNotEqualTo(arguments("b", "a"));
            assertThat(arguments(null, "a")).isNotEqualTo(arguments("a"));
            assertThat(arguments("a", null, "b")).isNotEqualTo(arguments("a", "b"));
        }

        @Test
        void elementsThatAreNull() {
            assertDiffer(Arrays.asList(1, null), List.of(1));
            assertDiffer(Collections.singletonList(null), List.of());
            assertDiffer(Map.of("a", Arrays.asList(1, null)), Map.of("a", List.of(1)));
        }

        @Test
        void whereListsBeginAndEnd() {
            assertThat(arguments(List.of("a"), "b")).isNotEqualTo(arguments("a", List.of("b")));
            assertDiffer(List.of(List.of(1), 2), List.of(1, List.of(2)));
        }

        @Test
        void texts() {
            assertDiffer("1", 1);
            assertDiffer("null", null);
            assertDiffer("", null);
            assertDiffer("\u00e4", "a\u0308");
            assertDiffer("a", "A");
            assertDiffer("a ", "a");
        }

        @Test
        void valuesOfEveryCommonType() {
            assertDiffer(Color.RED, Color.GREEN);
            assertDiffer(Instant.ofEpochSecond(1), Instant.ofEpochSecond(1, 1));
            assertDiffer(new byte[] {1, 2}, new byte[] {1, 3});
            assertDiffer(new int[] {1, 2}, new int[] {1, 3});
            assertDiffer(new String[] {"a"}, new String[] {"b"});
            assertDiffer(Optional.of(1), Optional.of(2));
            assertDiffer(Map.of(1, "a"), Map.of(2, "a"));
            assertDiffer(new Payment("alice", 1, null), new Payment("alice", 1, "order-42"));
            assertDiffer(new Visible("a", null), new Visible("b", null));
            assertDiffer(new Raw("{\"a\":1}"), new Raw("{\"a\":2}"));
            assertDiffer(new Wrapped("a"), new Wrapped("b"));
            assertDiffer(new Flat(new Payment("a", 1, null)), new Flat(new Payment("a", 2, null)));
            assertDiffer(new Extensible(Map.of("a", 1)), new Extensible(Map.of("a", 2)));
        }

        @Test
        void subtypesWhereverTheyStand() {
            Command open = new Open("gate-1");
            Command close = new Close("gate-1");
            assertDiffer(open, close);
            assertThat(arguments(open)).isNotEqualTo(arguments(close));
            assertThat(arguments(List.of(open), 1)).isNotEqualTo(arguments(List.of(close), 1));
            assertThat(arguments((Object) new Command[] {open}))
                    .isNotEqualTo(arguments((Object) new Command[] {close}));
            assertThat(arguments(Optional.of(open), 1)).isNotEqualTo(arguments(Optional.of(close), 1));
            assertDiffer(List.of(open, "as an expression names it"), List.of(close, "as an expression names it"));
            assertDiffer(List.of(List.of(open)), List.of(List.of(close)));
            assertDiffer(new Reset(), new Stop());
        }

        @Test
        void elementsOfSets() {
            assertDiffer(Set.of(), Set.of(1));
            assertDiffer(new Box(EnumSet.of(Color.RED)), new Box(EnumSet.of(Color.GREEN)));
            assertDiffer(new Commands(Set.of(new Open("a"))), new Commands(Set.of(new Close("a"))));
            assertDiffer(Set.of(new Open("a")), Set.of(new Close("a")));
        }

        @Test
        void elementsOfSetsThatAreWrittenWithoutAList() {
            assertDiffer(new Labelled(Set.of("a")), new Labelled(Set.of("b")));
            assertDiffer(new Labelled(Set.of(new Box(1))), new Labelled(Set.of(new Box(2))));
        }

        @Test
        void membersThatAreNamedLikeTheMarkOfASet() {
            for (String name : List.of("set", "\0set", "set 8c1ad0f4-7f53-4d4a-9f0b-0c6f6c1f1a55")) {
                assertDiffer(Map.of(name, 1), Map.of(name, 2));
                assertDiffer(Map.of(name, Map.of("a", 1)), Map.of(name, Map.of("b", 1)));
                assertDiffer(Map.of(name, List.of(1, 2)), Map.of(name, List.of(2, 1)));
            }
        }

        private void assertDiffer(Object one, Object other) {
            assertThat(fingerprinter.of(one).contradicts(fingerprinter.of(other)))
                    .isTrue();
        }
    }

    static List<Object> payloadsThatShowNothing() {
        return List.of(
                new Object(),
                new Opaque("secret"),
                new NamedList("a"),
                (Runnable) () -> {},
                new ByteArrayInputStream(new byte[1]),
                Optional.of(new Opaque("secret")),
                List.of(new Opaque("secret")),
                List.of(List.of(1, new Opaque("secret"))),
                Optional.of(new Opaque[] {new Opaque("secret")}));
    }

    @ParameterizedTest
    @MethodSource("payloadsThatShowNothing")
    void aPayloadThatShowsNothingToJsonIsRefused(Object payload) {
        assertThatThrownBy(() -> fingerprinter.of(payload))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageMatching(".*(has no JSON properties|is not in its JSON).*");
        assertThatThrownBy(() -> arguments("alice", payload)).isInstanceOf(PayloadNotFingerprintableException.class);
    }

    @Test
    void aRefusalNamesTheClassAndNotItsValue() {
        assertThatThrownBy(() -> fingerprinter.of(new Opaque("secret")))
                .hasMessageContaining(Opaque.class.getName())
                .hasMessageNotContaining("secret");
    }

    static List<Object> payloadsThatHappenToBeEmpty() {
        return List.of(
                Map.of(),
                List.of(),
                Optional.of(new Object[0]),
                new Payment(null, null, null),
                new Box(null),
                new JsonMapper().createObjectNode(),
                Optional.empty(),
                "",
                new Reset());
    }

    @ParameterizedTest
    @MethodSource("payloadsThatHappenToBeEmpty")
    void aPayloadThatCouldShowMoreIsAccepted(Object payload) {
        assertThat(fingerprinter.of(payload)).isNotNull();
        assertThat(arguments(payload, 1)).isNotEqualTo(arguments("another", 1));
    }

    static List<Object> payloadsThatCannotBeWritten() {
        List<Object> containsItself = new ArrayList<>();
        containsItself.add(containsItself);
        Map<Object, Object> twoMembersOfOneName = new LinkedHashMap<>();
        twoMembersOfOneName.put(1, "number");
        twoMembersOfOneName.put("1", "text");
        return List.of(
                new Cyclic(),
                new Box(new Cyclic()),
                Collections.singletonMap("list", containsItself),
                twoMembersOfOneName,
                new Broken(),
                new Ambiguous(),
                new Raw("{\"a\":"),
                new Raw("1,\"other\":2}, {"),
                Collections.singletonMap(null, "no name"));
    }

    @ParameterizedTest
    @MethodSource("payloadsThatCannotBeWritten")
    void aPayloadThatCannotBeWrittenIsRefused(Object payload) {
        assertThatThrownBy(() -> fingerprinter.of(payload))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContaining("cannot be written as JSON")
                .hasCauseInstanceOf(RuntimeException.class);
    }

    @Test
    void aListThatContainsItselfIsRefused() {
        List<Object> list = new ArrayList<>();
        list.add(list);
        list.add(list);

        assertThatThrownBy(() -> fingerprinter.of(list)).isInstanceOf(PayloadNotFingerprintableException.class);
    }

    @Test
    void whatAMapperWritesNestedDeeplyIsRead() {
        Fingerprinter deep = new Fingerprinter(new JsonMapper(JsonFactory.builder()
                .streamWriteConstraints(
                        StreamWriteConstraints.builder().maxNestingDepth(700).build())
                .build()));

        assertThat(deep.of(nested(600, 1)).contradicts(deep.of(nested(600, 2)))).isTrue();
        assertThatThrownBy(() -> fingerprinter.of(nested(600, 1)))
                .as("the mapper's own limit is 500")
                .isInstanceOf(PayloadNotFingerprintableException.class);
    }

    @Test
    void aNumberOfTooManyDigitsIsRefusedAtOnce() {
        BigInteger huge = BigInteger.TEN.pow(2_000_000);
        for (JsonMapper mapper : List.of(
                new JsonMapper(),
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build())) {
            Fingerprinter either = new Fingerprinter(mapper);
            for (Object payload : List.of(
                    huge,
                    new BigDecimal(huge, 7),
                    List.of(huge),
                    Map.of("a", huge),
                    new Box(huge),
                    mapper.valueToTree(huge))) {
                assertThatThrownBy(() -> assertTimeoutPreemptively(Duration.ofSeconds(1), () -> either.of(payload)))
                        .isInstanceOf(PayloadNotFingerprintableException.class)
                        .hasMessageContaining("A number has more than 10000 digits")
                        .hasMessageNotContaining("0000000");
            }
        }
    }

    @Test
    void whatIsLargeAndNestedDeeplyIsRefused() {
        Map<String, Object> nested = Map.of("a", "x".repeat(10_000_000));
        for (int i = 0; i < 200; i++) {
            Map<String, Object> outer = new LinkedHashMap<>();
            outer.put("b", nested);
            outer.put("a", 1);
            nested = outer;
        }
        Object payload = nested;

        assertThatThrownBy(() -> fingerprinter.of(payload))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContaining("too large for how deeply it is nested")
                .hasMessageNotContaining("xxx");
    }

    private static Object nested(int levels, Object innermost) {
        Object nested = innermost;
        for (int i = 0; i < levels; i++) {
            nested = Map.of("a", nested);
        }
        return nested;
    }

    private Fingerprint arguments(Object... arguments) {
        return fingerprinter.ofArguments(arguments, METHODS[arguments.length]);
    }

    /** Methods whose parameters say nothing of their types. */
    @SuppressWarnings("UnusedMethod") // Found by reflection.
    private interface Methods {

        void none();

        void one(Object one);

        void two(Object one, Object two);

        void three(Object one, Object two, Object three);

        void four(Object one, Object two, Object three, Object four);
    }

    record OldPayment(String accountId, Integer amountCents) {}

    record Payment(String accountId, Integer amountCents, String reference) {}

    record Box(Object content) {}

    record Order(Payment payment) {}

    record OldOrder(OldPayment payment) {}

    record Visible(
            @JsonProperty("name") String text, @JsonIgnore String ignored) {}

    record Raw(@JsonRawValue String json) {}

    record Wrapped(@JsonValue String text) {}

    record Flat(@JsonUnwrapped Payment payment) {}

    record Extensible(@JsonAnyGetter Map<String, Object> members) {}

    record Labelled(
            @JsonFormat(with = JsonFormat.Feature.WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED)
            Set<Object> labels) {}

    record Commands(Set<Command> commands) {}

    enum Color {
        RED,
        GREEN
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Open.class, name = "open"),
        @JsonSubTypes.Type(value = Close.class, name = "close"),
        @JsonSubTypes.Type(value = Reset.class, name = "reset"),
        @JsonSubTypes.Type(value = Stop.class, name = "stop"),
    })
    interface Command {}

    record Open(String gate) implements Command {}

    record Close(String gate) implements Command {}

    record Reset() implements Command {}

    record Stop() implements Command {}

    @JsonFormat(shape = JsonFormat.Shape.POJO)
    static final class NamedList extends ArrayList<String> {

        private static final long serialVersionUID = 1L;

        private final String name;

        NamedList(String name) {
            this.name = name;
            // Newer JDKs have getters for the first and the last element, which fail where there is none.
            add("element");
        }

        public String getName() {
            return name;
        }
    }

    /** No getter, no record component. */
    static final class Opaque {

        private final String secret;

        Opaque(String secret) {
            this.secret = secret;
        }

        @Override
        public String toString() {
            return secret;
        }
    }

    static final class Cyclic {

        public Cyclic getSelf() {
            return this;
        }
    }

    static final class Broken {

        private List<String> lines;

        public String getLines() {
            return lines.get(0);
        }
    }

    static final class Ambiguous {

        @JsonProperty("a")
        public int one() {
            return 1;
        }

        @JsonProperty("a")
        public int two() {
            return 2;
        }
    }
}
