package io.idempotency.internal.response;

import java.io.InputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import jakarta.persistence.Entity;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.ToStringSerializer;

/** Types composed at random of all that applications return and take: also what Jackson cannot read, or hides. */
@SuppressWarnings({"unused", "UnusedVariable", "ArrayRecordComponent"}) // Members are used by reflection.
final class RandomTypes {

    private static final List<Class<?>> OPEN = List.of(
            Object.class,
            Number.class,
            CharSequence.class,
            Serializable.class,
            JsonNode.class,
            Pattern.class,
            StringBuilder.class,
            RuntimeException.class,
            InputStream.class);

    private static final List<Class<?>> CLOSED = RandomValues.leaves().keySet().stream()
            .filter(leaf -> !leaf.isPrimitive() && !OPEN.contains(leaf))
            .<Class<?>>map(leaf -> leaf)
            .toList();

    private static final List<Class<?>> KEYS =
            List.of(String.class, Integer.class, UUID.class, LocalDate.class, Object.class, DayOfWeek.class);

    private static final List<Class<?>> CONTAINERS = List.of(
            List.class,
            Set.class,
            Optional.class,
            Collection.class,
            Deque.class,
            ArrayList.class,
            HashSet.class,
            AtomicReference.class);

    private static final List<Class<?>> DECLARED = Stream.of(RandomTypes.class.getDeclaredClasses())
            .filter(declared -> !Marked.class.isAssignableFrom(declared) || declared.isInterface())
            .<Class<?>>map(declared -> declared)
            .toList();

    private final Random random;

    private final List<Class<?>> furtherLeaves;

    /** @param furtherLeaves types that some members have, one in eight */
    RandomTypes(Random random, Collection<Class<?>> furtherLeaves) {
        this.random = random;
        this.furtherLeaves = List.copyOf(furtherLeaves);
    }

    ResolvableType next() {
        return chance(4) ? container(1) : chance(8) ? type(1) : declared(1);
    }

    private ResolvableType type(int depth) {
        if (!furtherLeaves.isEmpty() && chance(8)) {
            return ResolvableType.forClass(any(furtherLeaves));
        }
        return switch (random.nextInt(depth > 3 ? 6 : 12)) {
            case 0 -> ResolvableType.forClass(any(chance(4) ? OPEN : CLOSED));
            case 6, 7 -> container(depth);
            case 8, 9, 10, 11 -> declared(depth);
            default -> ResolvableType.forClass(any(CLOSED));
        };
    }

    private ResolvableType container(int depth) {
        ResolvableType element = type(depth + 1);
        return switch (random.nextInt(8)) {
            case 0 -> map(Map.class, any(KEYS), element);
            case 1, 2 -> map(Map.class, String.class, element);
            case 3 -> map(Map.Entry.class, String.class, element);
            case 4 ->
                any(List.of(
                        map(Map.class, String.class, ResolvableType.forClass(Object.class)),
                        ResolvableType.forClassWithGenerics(List.class, Object.class),
                        ResolvableType.forClassWithGenerics(SortedSet.class, String.class),
                        ResolvableType.forClassWithGenerics(TreeMap.class, String.class, Integer.class),
                        ResolvableType.forClassWithGenerics(SortedMap.class, Integer.class, String.class)));
            default -> ResolvableType.forClassWithGenerics(any(CONTAINERS), element);
        };
    }

    private static ResolvableType map(Class<?> type, Class<?> key, ResolvableType value) {
        return ResolvableType.forClassWithGenerics(type, ResolvableType.forClass(key), value);
    }

    private ResolvableType declared(int depth) {
        Class<?> type = any(DECLARED);
        return ResolvableType.forClassWithGenerics(
                type,
                Stream.of(type.getTypeParameters())
                        .map(parameter -> type(depth + 1))
                        .toArray(ResolvableType[]::new));
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private <T> T any(List<T> candidates) {
        return candidates.get(random.nextInt(candidates.size()));
    }

    record Plain<T>(int id, T value) {}

    record Several<A, B>(A first, B second, List<A> list, Map<String, B> map, List<? extends A> more) {}

    record Primitives(boolean flag, long number, double decimal, float single, short s, byte b, char c) {}

    record Arrayed<T>(T[] elements, String[] texts) {}

    record Chain<T>(T value, @Nullable Chain<T> next) {}

    record ById<T>(int id, T value) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ById<?> same && same.id == id;
        }

        @Override
        public int hashCode() {
            return id;
        }
    }

    record Ignoring<T>(int id, @JsonIgnore T value) {}

    record Renaming<T>(int id, @JsonProperty("other") T value) {}

    record Aliasing<T>(int id, @JsonAlias("other") T value) {}

    record ReadOnly<T>(
            int id,

            @JsonProperty(access = JsonProperty.Access.READ_ONLY)
            T value) {}

    record WriteOnly<T>(
            int id,

            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            T value) {}

    record WithoutNull<T>(
            int id,
            @JsonInclude(JsonInclude.Include.NON_NULL) T value) {}

    record WithoutEmpty<T>(
            int id,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) T value) {}

    record WithoutDefaults<T>(
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) int id,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) T value) {}

    record Formatted<T>(
            int id,
            @JsonFormat(shape = JsonFormat.Shape.STRING) T value) {}

    /** Whose text may have the identity hash of an object. */
    record AsText<T>(
            int id,
            @JsonSerialize(using = ToStringSerializer.class) T value) {}

    static class Bean<T> {

        private T value;

        private String text;

        public T getValue() {
            return value;
        }

        public void setValue(T value) {
            this.value = value;
        }

        public void setText(String text) {
            this.text = text;
        }
    }

    @Entity
    static final class Stored<T> extends Bean<T> {}

    static final class Unset<T> {

        private T value;

        public T getValue() {
            return value;
        }
    }

    static class Open<T> {

        public T value;
    }

    static class OpenWithMore<T> extends Open<T> {

        public T more;
    }

    /** Accessors that are none for JSON. */
    static final class Hidden<T> {

        private T value;

        public int id() {
            return 1;
        }
    }

    static class Remembering<T> {

        public T value;

        public transient int remembered;
    }

    static class Made<T> {

        private final T a;

        private final int b;

        Made(T a, int b) {
            this.a = a;
            this.b = b;
        }

        public T getA() {
            return a;
        }

        public int getB() {
            return b;
        }
    }

    static final class MadeByJson<T> extends Made<T> {

        @JsonCreator
        MadeByJson(@JsonProperty("a") T a, int b) {
            super(a, b);
        }
    }

    /** What is no type of its own, but one of several. */
    interface Marked {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(One.class), @JsonSubTypes.Type(Other.class)})
    interface Named extends Marked {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    sealed interface Sealed extends Marked permits One, Other {}

    record One(int id, BigDecimal amount) implements Named, Sealed {}

    record Other(int id, List<String> texts) implements Named, Sealed {}

    enum Coarse {
        X,
        Y,
        Z;

        @JsonValue
        String text() {
            return this == X ? "x" : "other";
        }
    }

    enum Fine {
        X,
        Y {
            @Override
            public String toString() {
                return "why";
            }
        },
        Z
    }

    record Text(@JsonValue String text) {}

    record Lower(String text) {

        @JsonValue
        @Nullable String lower() {
            return text == null ? null : text.toLowerCase(Locale.ROOT);
        }

        @JsonCreator
        static Lower of(String text) {
            return new Lower(text);
        }
    }

    record Texts(List<String> texts) {

        Texts {
            texts = texts == null
                    ? List.of()
                    : texts.stream().filter(Objects::nonNull).toList();
        }
    }

    static class Elements<T> extends ArrayList<T> {

        private static final long serialVersionUID = 1L;
    }

    static class NamedElements<T> extends ArrayList<T> {

        private static final long serialVersionUID = 1L;

        public String name;
    }

    static class NamedEntries<T> extends LinkedHashMap<String, T> {

        private static final long serialVersionUID = 1L;

        public String name;
    }

    static class Circle {

        public int n;

        public Circle back;
    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class)
    static class NumberedCircle {

        public int n;

        public NumberedCircle back;
    }
}
