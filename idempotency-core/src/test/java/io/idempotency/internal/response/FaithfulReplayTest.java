package io.idempotency.internal.response;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import javax.xml.namespace.QName;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.ResponseNotStorableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A response that a replay would show otherwise fails the first call and says where; all others are replayed. */
@SuppressWarnings({"ArrayRecordComponent", "NullableOptional", "UnnecessaryStringBuilder"
}) // What users do all the same.
class FaithfulReplayTest {

    private static final Intent INTENT = new Intent("payments", "", new IdempotencyKey("order-42"));

    private static final Type MAP = new ParameterizedTypeReference<Map<String, Object>>() {}.getType();

    private static final Type LIST = new ParameterizedTypeReference<List<Object>>() {}.getType();

    private final ResponseMapper mapper = mapper(new JsonMapper());

    private static ResponseMapper mapper(JsonMapper json) {
        return new ResponseMapper(List.of(new JacksonResponseCodec(json)), 100_000, false);
    }

    private static String write(ResponseMapper mapper, @Nullable Object response, Type type) {
        return mapper.write(INTENT, response, type, false);
    }

    static List<Arguments> lossy() {
        return List.of(
                arguments(new Hidden("ec76", 42), Hidden.class, "$.id"),
                arguments(new Ignoring("ec76", "note"), Ignoring.class, "$.note"),
                arguments(new Holder(new Special("a", "b")), Holder.class, "$.base"),
                arguments(new Special("a", "b"), Base.class, "$"),
                arguments(Map.of("due", LocalDate.of(2026, 2, 3)), MAP, "$.due"),
                arguments(Map.of("due", Instant.EPOCH), MAP, "$.due"),
                arguments(Map.of("cents", 42L), MAP, "$.cents"),
                arguments(Map.of("4711 0815", 42L), MAP, "$[*]"),
                arguments(Map.of("amount", new BigDecimal("1.00")), MAP, "$.amount"),
                arguments(Map.of("lines", List.of(Map.of("cents", 1L))), MAP, "$.lines[0].cents"),
                arguments(List.of("a", new StringBuilder("b")), LIST, "$[1]"),
                arguments(Arrays.asList("a", URI.create("urn:b")), LIST, "$[1]"),
                arguments(new NullOptional(null), NullOptional.class, "$.remark"),
                arguments(null, new ParameterizedTypeReference<Optional<String>>() {}.getType(), "$"),
                arguments(new WithoutEmpty(List.of()), WithoutEmpty.class, "$.lines"),
                arguments(new WholeHours(LocalDateTime.of(2026, 2, 3, 4, 5)), WholeHours.class, "$.time"),
                arguments(new ById(7, "lost"), ById.class, "$.name"),
                arguments(
                        List.of(new ById(7, "lost")),
                        typeOf(new ParameterizedTypeReference<List<ById>>() {}),
                        "$[0].name"),
                arguments(Cached.of("a"), Cached.class, "$.memo"),
                arguments(new Masking("4711"), Masking.class, "$.number"),
                arguments(new QName("urn:a", "b", "c"), QName.class, "$"),
                arguments(new Totals(Map.of("a", 1L), "EUR"), Totals.class, "$.currency"),
                arguments(
                        new Totals(Map.of("a", 1L), "EUR"),
                        typeOf(new ParameterizedTypeReference<Map<String, Long>>() {}),
                        "$"),
                arguments(
                        new LinkedHashSet<>(List.of(1)),
                        typeOf(new ParameterizedTypeReference<Collection<Integer>>() {}),
                        "$"),
                arguments(reversed("a", "b"), typeOf(new ParameterizedTypeReference<SortedSet<String>>() {}), "$[0]"),
                arguments(new Doubles(new double[] {1.5, Double.NaN}, "x"), Doubles.class, "$.unit"));
    }

    @ParameterizedTest
    @MethodSource("lossy")
    void whatWouldBeLostFailsTheFirstCall(@Nullable Object response, Type type, String path) {
        assertThatThrownBy(() -> write(mapper, response, type))
                .isInstanceOf(ResponseNotStorableException.class)
                .hasMessageContaining("at " + path + ",")
                .hasMessageContaining("lossyResponse = true")
                .hasMessageNotContainingAny("ec76", "4711");
    }

    static List<Arguments> faithful() {
        Node cycle = new Node();
        cycle.next = new Node();
        cycle.next.others.add(cycle);
        return List.of(
                arguments(new Plain("a", 1), Plain.class),
                arguments(
                        new Arrayed(new byte[] {1}, new String[][] {{"a"}, {null}}, new Plain("a", 1)), Arrayed.class),
                arguments(List.of(new Plain("a", 1)), typeOf(new ParameterizedTypeReference<List<Plain>>() {})),
                arguments(Map.of("a", 1, "b", "x", "c", List.of(true, 0.5)), MAP),
                arguments(manyStrings(), typeOf(new ParameterizedTypeReference<Set<String>>() {})),
                arguments(Set.copyOf(manyStrings()), typeOf(new ParameterizedTypeReference<Set<String>>() {})),
                arguments(reversed("a", "b"), typeOf(new ParameterizedTypeReference<Set<String>>() {})),
                arguments(Optional.empty(), typeOf(new ParameterizedTypeReference<Optional<String>>() {})),
                arguments(new Numbers(Float.NaN, -0.0, new AtomicInteger(3), null), Numbers.class),
                arguments(cycle, Node.class),
                arguments(new JsonMapper().createObjectNode().put("cents", 5L).putNull("none"), JsonNode.class),
                arguments(xml("2026-02-03"), XMLGregorianCalendar.class),
                arguments(new Defaulting(), Defaulting.class),
                arguments(new Locked(), Locked.class),
                arguments(List.of(new Defaulting()), typeOf(new ParameterizedTypeReference<List<Defaulting>>() {})),
                arguments(xml("2026-02-03T04:05:06.123456789+01:00"), XMLGregorianCalendar.class),
                arguments(Map.of(), typeOf(new ParameterizedTypeReference<Map<String, Plain>>() {})));
    }

    @ParameterizedTest
    @MethodSource("faithful")
    void whatIsTheSameIsStored(Object response, Type type) {
        String body = write(mapper, response, type);

        assertThat(mapper.read(INTENT, body, type)).isNotNull();
    }

    private static XMLGregorianCalendar xml(String text) {
        return DatatypeFactory.newDefaultInstance().newXMLGregorianCalendar(text);
    }

    private static Type typeOf(ParameterizedTypeReference<?> reference) {
        return reference.getType();
    }

    private static Set<String> manyStrings() {
        Set<String> strings = new LinkedHashSet<>();
        for (int i = 50; i > 0; i--) {
            strings.add("s" + i);
        }
        return strings;
    }

    private static SortedSet<String> reversed(String... strings) {
        SortedSet<String> set = new TreeSet<>(Comparator.reverseOrder());
        set.addAll(List.of(strings));
        return set;
    }

    /** Has accessors that are none for JSON, and a constructor that makes something. */
    static final class Hidden {

        private final String id;

        private final long cents;

        Hidden() {
            this("", 0);
        }

        Hidden(String id, long cents) {
            this.id = id;
            this.cents = cents;
        }

        String id() {
            return id;
        }

        long cents() {
            return cents;
        }
    }

    record Ignoring(String id, @JsonIgnore String note) {}

    static class Base {

        public String a;
    }

    static final class Special extends Base {

        public String b;

        Special(String a, String b) {
            this.a = a;
            this.b = b;
        }
    }

    record Holder(Base base) {}

    record NullOptional(@Nullable Optional<String> remark) {}

    record WithoutEmpty(
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> lines) {}

    record WholeHours(
            @JsonFormat(pattern = "yyyy-MM-dd'T'HH") LocalDateTime time) {}

    /** Is equal where something is lost. */
    record ById(int id, @JsonIgnore String name) {

        @Override
        public boolean equals(Object other) {
            return other instanceof ById same && same.id == id;
        }

        @Override
        public int hashCode() {
            return id;
        }
    }

    /** Gives something for a field that is not set. */
    static final class Defaulting {

        private String title;

        private int port;

        private boolean open;

        private List<String> lines;

        public String getTitle() {
            return title == null ? "none" : title;
        }

        public void setTitle(String title) {
            this.title = title;
        }

        public int getPort() {
            return port == 0 ? 443 : port;
        }

        public void setPort(int port) {
            this.port = port;
        }

        public boolean isOpen() {
            return true;
        }

        public void setOpen(boolean open) {
            this.open = open;
        }

        public List<String> getLines() {
            return lines == null ? List.of() : lines;
        }

        public void setLines(List<String> lines) {
            this.lines = lines;
        }

        @Override
        public String toString() {
            return title + port + open + lines;
        }
    }

    /** Gives something else for a field that is set. */
    /** A lock is a tool and no state. */
    static final class Locked {

        public int count;

        @SuppressWarnings("UnusedVariable") // For reflection.
        private final ReentrantLock lock = new ReentrantLock();
    }

    static final class Masking {

        @SuppressWarnings("UnusedVariable") // The comparison of fields reads it.
        private String number;

        Masking() {}

        Masking(String number) {
            this.number = number;
        }

        public String getNumber() {
            return "****";
        }

        public void setNumber(String number) {
            this.number = number;
        }
    }

    /** Has no equals that would say that the memo does not count. */
    static final class Cached {

        public String value;

        private transient String memo = "";

        static Cached of(String value) {
            Cached made = new Cached();
            made.value = value;
            made.memo = value;
            return made;
        }

        String memo() {
            return memo;
        }
    }

    static final class Totals extends LinkedHashMap<String, Long> {

        private static final long serialVersionUID = 1L;

        private String currency = "";

        Totals() {}

        Totals(Map<String, Long> values, String currency) {
            super(values);
            this.currency = currency;
        }

        String currency() {
            return currency;
        }
    }

    record Doubles(
            double[] values,

            @JsonProperty(access = JsonProperty.Access.READ_ONLY)
            String unit) {}

    record Plain(String name, long cents) {}

    /** Records compare arrays by identity, and nobody who looks at the arrays does. */
    record Arrayed(byte[] bytes, String[][] names, Plain plain) {}

    record Numbers(
            float f,
            double d,
            AtomicInteger count,
            @Nullable Integer none) {}

    @JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class)
    static final class Node {

        public int value;

        public Node next;

        public List<Node> others = new ArrayList<>();
    }
}
