package io.idempotency.internal.response;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.util.StdConverter;

import io.idempotency.internal.fingerprint.Fingerprinter;

import static org.assertj.core.api.Assertions.assertThat;

/** The class of a value is part of the payload where the declared type does not tell it, and nowhere else. */
@SuppressWarnings({"ArrayRecordComponent", "JavaUtilDate", "JdkObsolete", "UnnecessaryStringBuilder"
}) // What users do all the same.
class FingerprintTypesTest {

    /** Two of each that write the same JSON. */
    static final List<Pair> VALUES_OF_TWO_TYPES = List.of(
            new Pair(new Circle(1), new Square(1)),
            new Pair(new Cents(1), new Dollars(1)),
            new Pair(new Named("a"), new Titled("a")),
            new Pair(new Any(1), new Other(1)),
            new Pair(Card.VISA, Wallet.VISA),
            new Pair(Card.PLAIN, Wallet.PLAIN),
            new Pair(new Custom(1), new Converted(1)),
            new Pair(new Custom(1), new Foreign(1)),
            new Pair(new Base(1), new Extended(1)),
            new Pair(new Circle[] {new Circle(1)}, new Square[] {new Square(1)}),
            new Pair(new Circles(new Circle(1)), new Squares(new Square(1))),
            new Pair(EnumSet.of(Card.VISA), EnumSet.of(Wallet.VISA)),
            new Pair(Optional.of(new Circle(1)), Optional.of(new Square(1))),
            new Pair(List.of(new Circle(1)), List.of(new Square(1))),
            new Pair(Set.of(new Circle(1)), Set.of(new Square(1))),
            new Pair(Map.of("a", new Circle(1)), Map.of("a", new Square(1))),
            new Pair(new Open("a"), new Shut("a")));

    @ParameterizedTest
    @FieldSource("VALUES_OF_TWO_TYPES")
    void theTypeCountsWhereTheDeclaredOneDoesNotTellIt(Pair pair) {
        Fingerprinter fingerprinter = with(new JsonMapper());
        assertDiffer(fingerprinter, pair.one(), pair.other());
        assertDiffer(fingerprinter, new Holder(pair.one()), new Holder(pair.other()));
        assertDiffer(fingerprinter, Map.of("a", pair.one()), Map.of("a", pair.other()));
        assertDiffer(fingerprinter, List.of(pair.one()), List.of(pair.other()));
        assertDiffer(fingerprinter, Set.of(pair.one(), 1), Set.of(pair.other(), 1));
        assertDiffer(fingerprinter, new Object[] {pair.one()}, new Object[] {pair.other()});
        assertDiffer(
                fingerprinter,
                new Holder(List.of(Map.of("a", pair.one()))),
                new Holder(List.of(Map.of("a", pair.other()))));
        assertDiffer(fingerprinter, new Generic<>(pair.one()), new Generic<>(pair.other()));
    }

    @Test
    void theTypeCountsBehindAnInterfaceOrASuperclass() {
        Fingerprinter fingerprinter = with(new JsonMapper());
        assertDiffer(fingerprinter, new Drawing(new Circle(1)), new Drawing(new Square(1)));
        assertDiffer(fingerprinter, new Drawings(List.of(new Circle(1))), new Drawings(List.of(new Square(1))));
        assertDiffer(fingerprinter, new ArrayOfShapes(new Circle[] {new Circle(1)}), new ArrayOfShapes(new Square[] {
            new Square(1)
        }));
        assertDiffer(fingerprinter, new OfBase(new Base(1)), new OfBase(new Extended(1)));
        assertDiffer(fingerprinter, new Method1(Card.VISA), new Method1(Wallet.VISA));
    }

    @Test
    void theTypeOfAnArgumentCountsWhereItsParameterDoesNotTellIt() throws Exception {
        Fingerprinter fingerprinter = with(new JsonMapper());
        Method draw = Parameters.class.getDeclaredMethod("draw", Shape.class, List.class, Order.class);

        assertThat(fingerprinter
                        .ofArguments(new Object[] {new Circle(1)}, draw)
                        .contradicts(fingerprinter.ofArguments(new Object[] {new Square(1)}, draw)))
                .isTrue();
        assertThat(fingerprinter
                        .ofArguments(new Object[] {null, List.of(new Circle(1))}, draw)
                        .contradicts(fingerprinter.ofArguments(new Object[] {null, List.of(new Square(1))}, draw)))
                .isTrue();
        assertThat(fingerprinter.ofArguments(new Object[] {null, null, new Order("a", List.of(new Line(1)))}, draw))
                .as("the parameter tells it")
                .isEqualTo(fingerprinter.of(
                        Arrays.asList(null, null, Map.of("account", "a", "lines", List.of(Map.of("cents", 1))))));
    }

    @Test
    void theTypeDoesNotCountWhereTheDeclaredOneTellsIt() {
        Fingerprinter fingerprinter = with(new JsonMapper());
        Order order = new Order("a", List.of(new Line(1)));
        Map<String, Object> asJson = Map.of("account", "a", "lines", List.of(Map.of("cents", 1)));

        assertThat(fingerprinter.of(order, Order.class)).isEqualTo(fingerprinter.of(asJson));
        assertThat(fingerprinter.of(new Base(1), Base.class)).isEqualTo(fingerprinter.of(Map.of("value", 1)));
        assertThat(fingerprinter.of(new Base(1) {}, Base.class)).isEqualTo(fingerprinter.of(Map.of("value", 1)));
    }

    @Nested
    class Equal {

        private final Fingerprinter fingerprinter = with(new JsonMapper());

        @Test
        void collectionsAndMapsOfDifferentClasses() {
            List<Object> elements = List.of(1, "a", new Circle(1));
            assertSame(
                    elements,
                    new ArrayList<>(elements),
                    new LinkedList<>(elements),
                    Arrays.asList(1, "a", new Circle(1)));
            assertSame(Map.of("a", 1), new HashMap<>(Map.of("a", 1)), new TreeMap<>(Map.of("a", 1)));
            assertSame(List.of(), Collections.emptyList(), new ArrayList<>());
            assertSame(Set.of(Card.VISA), EnumSet.of(Card.VISA), new LinkedHashSet<>(Set.of(Card.VISA)));
            assertSame(new String[] {"a"}, List.of("a"), new Object[] {"a"});
            assertSame(new int[] {1}, List.of(1));
            assertSame(Optional.of("a"), "a");
        }

        @Test
        void numbersOfOneValue() {
            assertSame(1, 1L, (short) 1, (byte) 1, BigInteger.ONE, 1.0, 1f);
        }

        @Test
        void whatThePlatformWritesAlike() {
            assertSame(new Date(7), new java.sql.Timestamp(7));
            assertSame("a", new StringBuilder("a"), 'a');
            JsonMapper mapper = new JsonMapper();
            assertSame(mapper.readTree("{\"a\": [1, {\"b\": \"c\"}]}"), Map.of("a", List.of(1, Map.of("b", "c"))));
        }

        @Test
        void whatHasNoNameOfItsOwn() {
            assertSame(new Base(1), new Base(1) {}, new Base$$Proxy(1));
            assertSame(Card.PLAIN, Card.valueOf("PLAIN"));
            assertSame(anonymous(), proxy());
        }

        private void assertSame(Object... values) {
            for (Object value : values) {
                assertThat(fingerprinter.of(new Holder(value))).isEqualTo(fingerprinter.of(new Holder(values[0])));
                assertThat(fingerprinter.of(Map.of("a", value))).isEqualTo(fingerprinter.of(Map.of("a", values[0])));
                assertThat(fingerprinter.of(value)).isEqualTo(fingerprinter.of(values[0]));
            }
        }

        private static Shape anonymous() {
            return new Shape() {
                @Override
                public int getSize() {
                    return 1;
                }
            };
        }

        private static Object proxy() {
            return Proxy.newProxyInstance(
                    Shape.class.getClassLoader(), new Class<?>[] {Shape.class}, (proxy, method, arguments) -> 1);
        }
    }

    @Test
    void aNameThatTheApplicationGivesATypeIsTheOneThatCounts() {
        Fingerprinter fingerprinter = with(new JsonMapper());

        assertThat(fingerprinter.of(new Holder(new Open("a")), Holder.class))
                .isEqualTo(fingerprinter.of(Map.of("value", Map.of("type", "open", "gate", "a"))));
        assertThat(fingerprinter.of(new Open("a"))).isEqualTo(fingerprinter.of(Map.of("type", "open", "gate", "a")));
    }

    @Test
    void aMapperThatWritesTypesByDefaultGoesOnToDoSo() {
        JsonMapper mapper = JsonMapper.builder()
                .activateDefaultTyping(
                        BasicPolymorphicTypeValidator.builder()
                                .allowIfBaseType(Object.class)
                                .build(),
                        DefaultTyping.JAVA_LANG_OBJECT,
                        JsonTypeInfo.As.PROPERTY)
                .build();
        Fingerprinter fingerprinter = with(mapper);

        assertDiffer(fingerprinter, new Holder(new Circle(1)), new Holder(new Square(1)));
        assertDiffer(fingerprinter, new Drawing(new Circle(1)), new Drawing(new Square(1)));
    }

    @Test
    void theOrderOfASetDoesNotCountWhereItsTypeDoes() {
        Fingerprinter fingerprinter = with(new JsonMapper());

        assertThat(fingerprinter.of(new Holder(new Cards("a", "b"))))
                .isEqualTo(fingerprinter.of(new Holder(new Cards("b", "a"))));
        assertThat(fingerprinter.of(new Cards("a", "b"))).isEqualTo(fingerprinter.of(new Cards("b", "a")));
        assertDiffer(fingerprinter, new Holder(new Cards("a", "b")), new Holder(new Cards("a", "c")));
    }

    @Test
    void whatIsUnwrappedHasNoPlaceForAType() {
        assertThat(with(new JsonMapper()).of(new Flat(new Base(1)), Flat.class))
                .isEqualTo(with(new JsonMapper()).of(Map.of("value", 1)));
    }

    @Test
    void zonesOfOneOffsetDiffer() {
        LocalDateTime time = LocalDateTime.of(2026, 1, 15, 12, 0);
        ZonedDateTime paris = time.atZone(ZoneId.of("Europe/Paris"));
        ZonedDateTime berlin = time.atZone(ZoneId.of("Europe/Berlin"));
        OffsetDateTime utc = OffsetDateTime.of(time, ZoneOffset.UTC);
        OffsetDateTime later = utc.withOffsetSameInstant(ZoneOffset.ofHours(1));

        for (JsonMapper mapper : List.of(
                new JsonMapper(),
                JsonMapper.builder()
                        .defaultTimeZone(java.util.TimeZone.getTimeZone("America/New_York"))
                        .build(),
                JsonMapper.builder()
                        .enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                        .disable(DateTimeFeature.WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS)
                        .build())) {
            assertDiffer(with(mapper), new At(paris), new At(berlin));
            assertDiffer(with(mapper), Map.of("at", paris), Map.of("at", berlin));
            assertDiffer(with(mapper), Map.of(paris, 1), Map.of(berlin, 1));
            assertDiffer(with(mapper), utc, later);
            assertDiffer(with(mapper), utc.toInstant(), utc.plusNanos(1).toInstant());
        }
    }

    @Test
    void calendarsOfTwoZonesDiffer() {
        assertDiffer(with(new JsonMapper()), calendar("Europe/Paris"), calendar("Europe/Berlin"));
        assertDiffer(
                with(new JsonMapper()),
                Map.of("at", calendar("Europe/Paris")),
                Map.of("at", calendar("Europe/Berlin")));
    }

    private static Calendar calendar(String zone) {
        Calendar calendar = Calendar.getInstance(java.util.TimeZone.getTimeZone(zone));
        calendar.setTimeInMillis(7);
        return calendar;
    }

    private static Fingerprinter with(JsonMapper mapper) {
        return new Fingerprinter(mapper.rebuild()
                .addModule(new SimpleModule().addSerializer(Foreign.class, new ForeignSerializer()))
                .build());
    }

    private static void assertDiffer(Fingerprinter fingerprinter, Object one, Object other) {
        assertThat(fingerprinter.of(one).contradicts(fingerprinter.of(other)))
                .as("%s and %s", one, other)
                .isTrue();
        assertThat(fingerprinter.of(one)).isEqualTo(fingerprinter.of(one));
    }

    record Pair(Object one, Object other) {}

    record Holder(Object value) {}

    record Generic<T>(T value) {}

    interface Shape {

        int getSize();
    }

    record Circle(int size) implements Shape {

        @Override
        public int getSize() {
            return size;
        }
    }

    record Square(int size) implements Shape {

        @Override
        public int getSize() {
            return size;
        }
    }

    record Drawing(Shape shape) {}

    record Drawings(List<Shape> shapes) {}

    record ArrayOfShapes(Shape[] shapes) {}

    record Order(String account, List<Line> lines) {}

    record Line(long cents) {}

    record Cents(@JsonValue long value) {}

    record Dollars(@JsonValue long value) {}

    record Named(@JsonValue String value) {}

    record Titled(@JsonValue String value) {}

    record Any(@JsonValue Object value) {}

    record Other(@JsonValue Object value) {}

    record At(ZonedDateTime at) {}

    record Flat(@JsonUnwrapped Base base) {}

    record OfBase(Base base) {}

    record Method1(Payable payable) {}

    interface Payable {}

    enum Card implements Payable {
        VISA {},
        PLAIN
    }

    enum Wallet implements Payable {
        VISA,
        PLAIN
    }

    static class Base {

        private final int value;

        Base(int value) {
            this.value = value;
        }

        public int getValue() {
            return value;
        }
    }

    static final class Extended extends Base {

        Extended(int value) {
            super(value);
        }
    }

    /** Named as those that are made at run time. */
    @SuppressWarnings("checkstyle:TypeName")
    static final class Base$$Proxy extends Base {

        Base$$Proxy(int value) {
            super(value);
        }
    }

    static final class Circles extends ArrayList<Circle> {

        private static final long serialVersionUID = 1L;

        Circles(Circle circle) {
            add(circle);
        }
    }

    static final class Squares extends ArrayList<Square> {

        private static final long serialVersionUID = 1L;

        Squares(Square square) {
            add(square);
        }
    }

    static final class Cards extends LinkedHashSet<Named> {

        private static final long serialVersionUID = 1L;

        Cards(String... names) {
            for (String name : names) {
                add(new Named(name));
            }
        }
    }

    @JsonSerialize(using = CustomSerializer.class)
    record Custom(int size) {}

    @JsonSerialize(converter = Conversion.class)
    record Converted(int size) {}

    record Foreign(int size) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    interface Command {}

    @JsonTypeName("open")
    record Open(String gate) implements Command {}

    @JsonTypeName("shut")
    record Shut(String gate) implements Command {}

    /** Does not know of types. */
    static final class CustomSerializer extends StdSerializer<Custom> {

        CustomSerializer() {
            super(Custom.class);
        }

        @Override
        public void serialize(Custom value, JsonGenerator generator, SerializationContext context) {
            generator.writeNumber(value.size());
        }
    }

    /** Does not know of types. */
    static final class ForeignSerializer extends StdSerializer<Foreign> {

        ForeignSerializer() {
            super(Foreign.class);
        }

        @Override
        public void serialize(Foreign value, JsonGenerator generator, SerializationContext context) {
            generator.writeNumber(value.size());
        }
    }

    static final class Conversion extends StdConverter<Converted, Integer> {

        @Override
        public Integer convert(Converted value) {
            return value.size();
        }
    }

    interface Parameters {

        void draw(Shape shape, List<Shape> shapes, Order order);
    }
}
