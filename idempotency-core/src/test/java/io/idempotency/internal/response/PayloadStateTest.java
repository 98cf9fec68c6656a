package io.idempotency.internal.response;

import java.io.File;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.chrono.JapaneseDate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.SimpleTimeZone;
import java.util.StringJoiner;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicStampedReference;
import java.util.regex.Pattern;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFilter;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIgnoreType;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.JsonView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonAppend;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.fingerprint.RefusedPayloadException;
import io.idempotency.internal.fingerprint.StateModule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Each part of the state of a payload counts, or the payload is refused. */
@SuppressWarnings({"JavaUtilDate", "JdkObsolete"}) // What users do all the same.
class PayloadStateTest {

    private final Fingerprinter fingerprinter = new Fingerprinter(new JsonMapper());

    static List<Object> valuesWithoutTheirStateInJson() throws Exception {
        BitSet bits = new BitSet();
        bits.set(7);
        return List.of(
                bits,
                new Money(1),
                new Tree(1),
                new SelfSerialized(1),
                new Inherited(1),
                new Annotated(1),
                new Typed(1),
                new RuntimeException("why"),
                new Failure(1),
                List.of(1).iterator(),
                List.of(1).stream(),
                new AtomicIntegerArray(1),
                new AtomicStampedReference<>(1, 1),
                CompletableFuture.completedFuture(1),
                new Random(1),
                new StringJoiner("a"),
                JapaneseDate.of(2026, 1, 2),
                new Thread("a"),
                new JsonMapper(),
                new More("a"),
                new MoreEntries("a"),
                new Priced("1", "EUR"),
                new Tagged(1, "a"),
                new TwoMaps(Map.of("a", 1), Map.of("b", 2)),
                withDefault("a"));
    }

    private static Properties withDefault(String value) {
        Properties defaults = new Properties();
        defaults.setProperty("name", value);
        return new Properties(defaults);
    }

    @ParameterizedTest
    @MethodSource("valuesWithoutTheirStateInJson")
    void areRefusedAtAnyDepth(Object value) {
        for (Object payload : List.of(
                value,
                new Box(value),
                List.of(value),
                Map.of("key", value),
                new Object[] {value},
                List.of(Map.of("key", new Box(value))))) {
            assertThatThrownBy(() -> fingerprinter.of(payload))
                    .isInstanceOf(PayloadNotFingerprintableException.class)
                    .message()
                    .doesNotContain("why");
        }
    }

    @Test
    void aRefusalNamesTheClassAndThePlace() {
        assertThatThrownBy(() -> fingerprinter.of(new Box(List.of(new Money(1)))))
                .hasMessage("The state of " + Money.class.getName()
                        + " is not in its JSON, so that different values look equal: give its fields getters of the same"
                        + " names, or the class a serializer, or use a class that JSON shows (at " + Box.class.getName()
                        + "[\"content\"]->java.util.ImmutableCollections$List12[0])");
        assertThatThrownBy(() -> fingerprinter.of(new Ignored("4111")))
                .hasMessage("The member 'number' of " + Ignored.class.getName()
                        + " is set, but is not in its JSON, so that values which differ in it look equal: let JSON have it"
                        + " by a getter of its name (for fingerprints @JsonProperty(access = WRITE_ONLY) is enough), or declare it transient if it is"
                        + " no part of the value");
    }

    private static XMLGregorianCalendar xml(String text) {
        return DatatypeFactory.newDefaultInstance().newXMLGregorianCalendar(text);
    }

    static List<Arguments> valuesThatDiffer() throws UnknownHostException {
        return List.of(
                arguments(xml("2026-02-03"), xml("2026-02-03Z")),
                arguments(xml("2026-02-03T04:05:06"), xml("2026-02-03T04:05:06Z")),
                arguments(xml("2026-02-03T04:05:06.123456789Z"), xml("2026-02-03T04:05:06.123Z")),
                arguments(xml("2026-02-03T04:05:06+01:00"), xml("2026-02-03T03:05:06Z")),
                arguments(xml("04:05:06"), xml("04:05:06Z")),
                arguments(Map.of(xml("2026-02"), 1), Map.of(xml("2026-02Z"), 1)),
                arguments(new java.sql.Date(0), new java.sql.Date(1)),
                arguments(new Locale("", "", "a"), new Locale("", "", "b")),
                arguments(new SimpleTimeZone(0, "UTC"), TimeZone.getTimeZone("Europe/Paris")),
                arguments(Map.of(new Timestamp(0), 1), Map.of(Timestamp.from(Instant.ofEpochSecond(0, 1_000)), 1)),
                arguments(
                        ByteBuffer.wrap(new byte[] {1, 2}).asReadOnlyBuffer(),
                        ByteBuffer.wrap(new byte[] {1, 2}, 1, 1).asReadOnlyBuffer()),
                arguments(Map.of(ByteBuffer.wrap(new byte[] {1}), 1), Map.of(ByteBuffer.wrap(new byte[] {2}), 1)),
                arguments(new WriteOnly("a"), new WriteOnly("b")),
                arguments(new WriteOnlyRecord("a", "h"), new WriteOnlyRecord("b", "h")),
                arguments(new WriteOnlySetter("a"), new WriteOnlySetter("b")),
                arguments(new OnlySetters("a"), new OnlySetters("b")),
                arguments(new Where(new Card("a")), new Where(new Card("b"))),
                arguments(new Only(new Card("a")), new Only(new Card("b"))),
                arguments(new Unwrapped(new WriteOnly("a")), new Unwrapped(new WriteOnly("b"))),
                arguments(new InView("a"), new InView("b")),
                arguments(new Filtered("a"), new Filtered("b")),
                arguments(new WithoutDefaults(0), new WithoutDefaults(null)),
                arguments(new WithoutEmpty(""), new WithoutEmpty(null)),
                arguments(Level.LOW, Level.MIDDLE),
                arguments(new Prefixed("a"), new Prefixed("b")),
                arguments(new Fluent(1), new Fluent(2)),
                arguments(new Open(1), new Open(2)),
                arguments(new Delegating(new Card("a")), new Delegating(new Card("b"))),
                arguments(new Elements("a"), new Elements("b")),
                arguments(new Basket(null, 1), new Basket(null, 2)),
                arguments(new Amount(1, null), new Amount(2, null)),
                arguments(new Chain("a"), new Chain("b")),
                arguments(Pattern.compile("a"), Pattern.compile("a", Pattern.CASE_INSENSITIVE)),
                arguments(new Timestamp(0), Timestamp.from(Instant.ofEpochSecond(0, 1_000))),
                arguments(new Time(0), new Time(5)),
                arguments(address(1), address(2)),
                arguments(new InetSocketAddress(address(1), 1), new InetSocketAddress(address(2), 1)),
                arguments(new Family(1), new Family(2)),
                arguments(new Managed(1), new Managed(2)),
                arguments(new Box(null), new Box(1)));
    }

    private static InetAddress address(int last) throws UnknownHostException {
        return InetAddress.getByAddress("host", new byte[] {10, 0, 0, (byte) last});
    }

    @ParameterizedTest
    @MethodSource("valuesThatDiffer")
    void haveDifferentFingerprints(Object one, Object other) {
        assertThat(fingerprinter.of(one).contradicts(fingerprinter.of(other))).isTrue();
        assertThat(fingerprinter.of(new Box(one)).contradicts(fingerprinter.of(new Box(other))))
                .isTrue();
        assertThat(fingerprinter.of(one)).isEqualTo(fingerprinter.of(one));
    }

    @ParameterizedTest
    @MethodSource("valuesWithAHiddenMember")
    void aHiddenMemberThatIsSetIsRefused(Object set, Object unset) {
        assertThatThrownBy(() -> fingerprinter.of(set))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContaining("is set, but is not in its JSON");
        assertThatThrownBy(() -> fingerprinter.of(Map.of("key", List.of(set))))
                .isInstanceOf(PayloadNotFingerprintableException.class);
        assertThat(fingerprinter.of(unset)).isNotNull();
    }

    static List<Arguments> valuesWithAHiddenMember() {
        return List.of(
                arguments(new Ignored("a"), new Ignored(null)),
                arguments(new IgnoredRecord(1, "a"), new IgnoredRecord(1, null)),
                arguments(new IgnoredNumber(1), new IgnoredNumber(0)),
                arguments(new IgnoredList(List.of(1)), new IgnoredList(List.of())),
                arguments(new IgnoredByClass("a"), new IgnoredByClass(null)),
                arguments(new WithoutGetter("a"), new WithoutGetter(null)),
                arguments(new WriteOnlyParameter("a"), new WriteOnlyParameter(null)),
                arguments(new Child("a"), new Child(null)),
                arguments(anonymous("a"), anonymous(null)),
                arguments(new Appended("a"), new Appended(null)),
                arguments(new OfIgnoredType(new IgnoredType()), new OfIgnoredType(null)),
                arguments(new AsArray("a"), new AsArray(null)),
                arguments(new Basket("a", 1), new Basket(null, 1)),
                arguments(new Amount(1, "EUR"), new Amount(1, null)),
                arguments(new Family(1).lines.get(0), new Line(1)));
    }

    @Test
    void aValueThatHoldsItselfIsRefusedWhereItDoes() {
        Looping looping = new Looping();
        looping.self = looping;

        assertThatThrownBy(() -> fingerprinter.of(looping))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .cause()
                .message()
                .containsOnlyOnce("[\"self\"]");
    }

    @Test
    void whatIsNoPartOfTheValueDoesNotCount() {
        Derived used = new Derived();
        int unused = used.hashCode();
        used.cached = "cached";

        assertThat(fingerprinter.of(used)).isEqualTo(fingerprinter.of(new Derived()));
    }

    @Test
    void theMachineIsNoPartOfAValue() throws UnknownHostException {
        assertThat(fingerprinter.of(new File("a/b"))).isEqualTo(fingerprinter.of("a/b"));
        assertThat(fingerprinter.of(Path.of("a", "b"))).isEqualTo(fingerprinter.of("a/b"));
        assertThat(fingerprinter.of(xml("2026-02-03"))).isEqualTo(fingerprinter.of("2026-02-03"));
        assertThat(fingerprinter.of(new Time(5))).isEqualTo(fingerprinter.of(Instant.ofEpochMilli(5)));
        assertThat(fingerprinter.of(Map.of(address(1), 1))).isEqualTo(fingerprinter.of(Map.of("10.0.0.1", 1)));
        assertThatThrownBy(() -> fingerprinter.of(new SimpleTimeZone(1, "UTC")))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessage(
                        "The rules of a java.util.SimpleTimeZone are not in its JSON: use a zone that its id names, or"
                                + " a ZoneId");
    }

    @Test
    void theEqualAreEqualWhereverTheyComeFrom() throws UnknownHostException {
        assertThat(fingerprinter.of(address(1)))
                .isEqualTo(fingerprinter.of(InetAddress.getByAddress("other", new byte[] {10, 0, 0, 1})));
        assertThat(fingerprinter.of(new Family(1))).isEqualTo(fingerprinter.of(new Family(1)));
    }

    @Test
    void theClassOfACollectionCountsWhereverItIsDeclaredAsAnother() throws Exception {
        Method method = Declared.class.getDeclaredMethod("of", Collection.class, List.class, Map.class);

        assertThat(fingerprinter.ofArguments(new Object[] {new LinkedHashSet<>(List.of(1, 2))}, method))
                .isEqualTo(fingerprinter.ofArguments(new Object[] {new LinkedHashSet<>(List.of(2, 1))}, method));
        assertThatThrownBy(() -> fingerprinter.ofArguments(new Object[] {null, new More("a")}, method))
                .isInstanceOf(PayloadNotFingerprintableException.class);
        assertThatThrownBy(() -> fingerprinter.ofArguments(new Object[] {null, null, withDefault("a")}, method))
                .isInstanceOf(PayloadNotFingerprintableException.class);
    }

    @Test
    void valuesOfPrimitiveParametersCount() throws Exception {
        Method method = Declared.class.getDeclaredMethod("with", int.class, long[].class, boolean.class);

        assertThat(fingerprinter.ofArguments(new Object[] {1, new long[] {2}, true}, method))
                .isEqualTo(fingerprinter.of(List.of(1, List.of(2), true)))
                .isNotEqualTo(fingerprinter.ofArguments(new Object[] {1, new long[] {3}, true}, method));
    }

    @SuppressWarnings("unused") // Found by reflection.
    private interface Declared {

        void with(int number, long[] numbers, boolean flag);

        void of(Collection<Integer> numbers, List<String> texts, Map<Object, Object> entries);
    }

    @Test
    void whatTheApplicationWritesItselfIsNotLookedInto() {
        Fingerprinter own = new Fingerprinter(JsonMapper.builder()
                .addModule(new SimpleModule().addSerializer(Money.class, new OfMoney()))
                .build());

        assertThat(own.of(new Box(new Money(1))).contradicts(own.of(new Box(new Money(2)))))
                .isTrue();
    }

    @Test
    void aKeyOfAMapNeedsAText() {
        assertThatThrownBy(() -> fingerprinter.of(Map.of(new Money(1), 1)))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContaining("has no text for the key of a map");
        assertThat(fingerprinter.of(Map.of(new Name("a"), 1)).contradicts(fingerprinter.of(Map.of(new Name("b"), 1))))
                .isTrue();
    }

    @Test
    void messagesAreRefusedIfNothingOfTheirStateIsInTheirJson() {
        JacksonResponseCodec messages = new JacksonResponseCodec(StateModule.addTo(new JsonMapper()));
        for (Object payload : List.of(new Money(1), new Box(new Money(1)), List.of(new Opaque("a")), new More("a"))) {
            assertThatThrownBy(() -> messages.encode(payload, payload.getClass()))
                    .isInstanceOf(RefusedPayloadException.class)
                    .hasMessageContaining("not in its JSON");
        }

        assertThat(messages.encode(new WriteOnly("a"), WriteOnly.class)).isEqualTo("{\"holder\":\"h\"}");
        assertThat(messages.encode(new Ignored("a"), Ignored.class)).isEqualTo("{\"holder\":\"h\"}");
        assertThat(messages.encode(new Ping(), Ping.class)).isEqualTo("{}");
        assertThat(messages.encode(new Elements("a"), Elements.class)).isEqualTo("[\"a\"]");
    }

    record Box(@Nullable Object content) {}

    record Name(String text) {}

    static final class Ping {}

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

    static class Money {

        private final long cents;

        Money(long cents) {
            this.cents = cents;
        }

        public String getCurrency() {
            return "EUR";
        }

        long cents() {
            return cents;
        }
    }

    static final class OfMoney extends StdSerializer<Money> {

        OfMoney() {
            super(Money.class);
        }

        @Override
        public void serialize(Money value, JsonGenerator generator, SerializationContext context) {
            generator.writeNumber(value.cents());
        }
    }

    /** As trees of other libraries are. */
    static final class Tree implements Iterable<Tree> {

        private final Map<String, Object> children = new HashMap<>();

        Tree(Object child) {
            children.put("child", child);
        }

        public boolean isEmpty() {
            return children.isEmpty();
        }

        @Override
        public Iterator<Tree> iterator() {
            return List.<Tree>of().iterator();
        }
    }

    /** As many collections of libraries are. */
    static final class SelfSerialized {

        private final transient Object[] elements;

        SelfSerialized(Object... elements) {
            this.elements = elements;
        }

        public boolean isEmpty() {
            return elements.length == 0;
        }
    }

    static final class Inherited extends Money {

        Inherited(long cents) {
            super(cents);
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    static final class Annotated {

        @SuppressWarnings("unused")
        private final int value;

        Annotated(int value) {
            this.value = value;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    static final class Typed {

        @SuppressWarnings("unused")
        private final int value;

        Typed(int value) {
            this.value = value;
        }
    }

    static final class Failure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public final int code;

        Failure(int code) {
            this.code = code;
        }
    }

    static final class More extends ArrayList<String> {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused")
        private final String more;

        More(String more) {
            this.more = more;
        }
    }

    static final class Priced extends BigDecimal {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused")
        private final String currency;

        Priced(String amount, String currency) {
            super(amount);
            this.currency = currency;
        }
    }

    static final class Tagged extends Date {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused")
        private final String tag;

        Tagged(long time, String tag) {
            super(time);
            this.tag = tag;
        }
    }

    static final class TwoMaps {

        private final Map<String, Integer> shown;

        @SuppressWarnings("unused")
        private final Map<String, Integer> hidden;

        TwoMaps(Map<String, Integer> shown, Map<String, Integer> hidden) {
            this.shown = shown;
            this.hidden = hidden;
        }

        @JsonAnyGetter
        public Map<String, Integer> getShown() {
            return shown;
        }
    }

    static final class MoreEntries extends TreeMap<String, String> {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused")
        private final String more;

        MoreEntries(String more) {
            this.more = more;
        }
    }

    static final class WriteOnly {

        @SuppressWarnings("UnusedVariable") // For reflection.
        @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
        private final String number;

        public String holder = "h";

        WriteOnly(String number) {
            this.number = number;
        }
    }

    record WriteOnlyRecord(
            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            String number,

            String holder) {}

    static final class WriteOnlySetter {

        @SuppressWarnings("unused")
        private String number = "";

        public String holder = "h";

        WriteOnlySetter(String number) {
            setNumber(number);
        }

        @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
        public void setNumber(String value) {
            number = value;
        }
    }

    static final class WriteOnlyParameter {

        @SuppressWarnings("unused")
        private final @Nullable String number;

        public String holder = "h";

        @JsonCreator
        WriteOnlyParameter(@JsonProperty(access = JsonProperty.Access.WRITE_ONLY) @Nullable String number) {
            this.number = number;
        }
    }

    @JsonIgnoreProperties(value = "number", allowSetters = true)
    static final class OnlySetters {

        public String number;

        OnlySetters(String number) {
            this.number = number;
        }
    }

    record Where(@JsonIgnoreProperties("number") Card card) {}

    record Only(@JsonIncludeProperties("holder") Card card) {}

    static class Card {

        public final String number;

        Card(String number) {
            this.number = number;
        }
    }

    record Unwrapped(@JsonUnwrapped(prefix = "card") WriteOnly card) {}

    record InView(@JsonView(Box.class) String number) {}

    @JsonFilter("not defined")
    record Filtered(String number) {}

    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    record WithoutDefaults(@Nullable Integer cents) {}

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    record WithoutEmpty(@Nullable String text) {}

    @JsonFormat(shape = JsonFormat.Shape.OBJECT)
    enum Level {
        LOW,
        MIDDLE;

        public String getColor() {
            return "green";
        }
    }

    static final class Prefixed {

        private final String mName;

        private final boolean isOpen;

        private final String _type;

        private final String xCoord;

        Prefixed(String text) {
            mName = text;
            isOpen = !text.isEmpty();
            _type = text;
            xCoord = text;
        }

        public String getName() {
            return mName;
        }

        public boolean isOpen() {
            return isOpen;
        }

        public String getType() {
            return _type;
        }

        public String getXCoord() {
            return xCoord;
        }
    }

    static final class Fluent {

        private final long cents;

        Fluent(long cents) {
            this.cents = cents;
        }

        @JsonProperty("amount")
        public long cents() {
            return cents;
        }
    }

    static final class Open {

        private final Map<String, Object> further = new LinkedHashMap<>();

        Open(Object value) {
            further.put("value", value);
        }

        @JsonAnyGetter
        public Map<String, Object> any() {
            return further;
        }
    }

    record Delegating(@JsonValue Card card) {}

    /** An Iterable that shows nothing but its elements. */
    static final class Elements implements Iterable<String> {

        private final List<String> elements;

        Elements(String... elements) {
            this.elements = List.of(elements);
        }

        @Override
        public Iterator<String> iterator() {
            return elements.iterator();
        }
    }

    /** An Iterable with more than its elements. */
    static final class Basket implements Iterable<Integer> {

        @SuppressWarnings("unused")
        private final @Nullable String customer;

        private final List<Integer> items;

        Basket(@Nullable String customer, Integer... items) {
            this.customer = customer;
            this.items = List.of(items);
        }

        @Override
        public Iterator<Integer> iterator() {
            return items.iterator();
        }
    }

    /** An Iterable whose elements are in no collection. */
    static final class Chain implements Iterable<String> {

        private final Name first;

        Chain(String first) {
            this.first = new Name(first);
        }

        @Override
        public Iterator<String> iterator() {
            return List.of(first.text()).iterator();
        }
    }

    static final class Amount extends Number {

        private static final long serialVersionUID = 1L;

        private final long cents;

        @SuppressWarnings("unused")
        private final @Nullable String currency;

        Amount(long cents, @Nullable String currency) {
            this.cents = cents;
            this.currency = currency;
        }

        @Override
        public int intValue() {
            return (int) cents;
        }

        @Override
        public long longValue() {
            return cents;
        }

        @Override
        public float floatValue() {
            return cents;
        }

        @Override
        public double doubleValue() {
            return cents;
        }

        @Override
        public String toString() {
            return String.valueOf(cents);
        }
    }

    static final class Ignored {

        @JsonIgnore
        public @Nullable String number;

        public String holder = "h";

        Ignored(@Nullable String number) {
            this.number = number;
        }
    }

    record IgnoredRecord(int id, @JsonIgnore @Nullable String number) {}

    record IgnoredNumber(@JsonIgnore int number, String holder) {

        IgnoredNumber(int number) {
            this(number, "h");
        }
    }

    record IgnoredList(@JsonIgnore List<Integer> numbers, String holder) {

        IgnoredList(List<Integer> numbers) {
            this(numbers, "h");
        }
    }

    @JsonIgnoreProperties("number")
    record IgnoredByClass(@Nullable String number, String holder) {

        IgnoredByClass(@Nullable String number) {
            this(number, "h");
        }
    }

    static final class WithoutGetter {

        @SuppressWarnings("unused")
        private final @Nullable String number;

        public String holder = "h";

        WithoutGetter(@Nullable String number) {
            this.number = number;
        }
    }

    private static Object anonymous(@Nullable String text) {
        return new Card("card") {
            @SuppressWarnings("unused")
            private final @Nullable String added = text;
        };
    }

    @JsonAppend(attrs = @JsonAppend.Attr("virtual"))
    static final class Appended {

        @JsonIgnore
        public @Nullable String number;

        public String holder = "h";

        Appended(@Nullable String number) {
            this.number = number;
        }
    }

    abstract static class Parent {

        @SuppressWarnings("unused")
        private final @Nullable String number;

        Parent(@Nullable String number) {
            this.number = number;
        }
    }

    static final class Child extends Parent {

        public String holder = "h";

        Child(@Nullable String number) {
            super(number);
        }
    }

    @JsonIgnoreType
    record IgnoredType() {}

    record OfIgnoredType(@Nullable IgnoredType ignored, String holder) {

        OfIgnoredType(@Nullable IgnoredType ignored) {
            this(ignored, "h");
        }
    }

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record AsArray(@JsonIgnore @Nullable String number, String holder) {

        AsArray(@Nullable String number) {
            this(number, "h");
        }
    }

    static final class Family {

        public final List<Line> lines = new ArrayList<>();

        Family(int... cents) {
            for (int each : cents) {
                Line line = new Line(each);
                line.family = this;
                lines.add(line);
            }
        }
    }

    static final class Line {

        public final int cents;

        @JsonIgnore
        public @Nullable Family family;

        Line(int cents) {
            this.cents = cents;
        }
    }

    static final class Managed {

        @JsonManagedReference
        public final List<ManagedLine> lines = new ArrayList<>();

        Managed(int cents) {
            ManagedLine line = new ManagedLine();
            line.cents = cents;
            line.back = this;
            lines.add(line);
        }
    }

    static final class ManagedLine {

        public int cents;

        @JsonBackReference
        public @Nullable Managed back;
    }

    static final class Looping {

        public @Nullable Looping self;

        @SuppressWarnings("unused")
        private @Nullable String hidden;
    }

    static final class Derived {

        public final String text = "text";

        transient @Nullable String cached;

        private int hash;

        @Override
        public int hashCode() {
            hash = hash == 0 ? text.hashCode() : hash;
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Derived;
        }
    }
}
