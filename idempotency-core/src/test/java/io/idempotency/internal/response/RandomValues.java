package io.idempotency.internal.response;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Currency;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Makes random values of any type, subclasses and what is hidden included. */
@SuppressWarnings({"JavaUtilDate", "UnnecessaryStringBuilder"}) // Users have members of these classes.
final class RandomValues {

    private static final int DEEPEST = 5;

    private static final Map<Class<?>, Function<Random, Object>> LEAVES = leaves();

    private static final List<Class<?>> DECLARED = List.of(RandomTypes.class.getDeclaredClasses());

    private final Random random;

    private final Map<Class<?>, Function<Random, Object>> furtherLeaves;

    RandomValues(Random random, Map<Class<?>, Function<Random, Object>> furtherLeaves) {
        this.random = random;
        this.furtherLeaves = furtherLeaves;
    }

    @Nullable Object of(ResolvableType type) {
        return value(type, 0);
    }

    private @Nullable Object value(ResolvableType type, int depth) {
        Class<?> raw = type.resolve(Object.class);
        if (!raw.isPrimitive() && (random.nextInt(10) == 0 || depth > 2 * DEEPEST)) {
            return null;
        }
        Class<?> wrapped = ClassUtils.resolvePrimitiveIfNecessary(raw);
        Function<Random, Object> leaf = furtherLeaves.getOrDefault(raw, LEAVES.get(wrapped));
        if (leaf != null) {
            return leaf.apply(random);
        }
        if (raw.isArray()) {
            return array(type, depth);
        }
        if (raw.isEnum()) {
            return any(raw.getEnumConstants());
        }
        if (DECLARED.contains(raw)) {
            return declaredValue(type, raw, depth);
        }
        return containerOrOpen(type, raw, depth);
    }

    private Object array(ResolvableType type, int depth) {
        ResolvableType component = type.getComponentType();
        Object array = Array.newInstance(component.resolve(Object.class), random.nextInt(3));
        for (int i = 0; i < Array.getLength(array); i++) {
            Array.set(array, i, value(component, depth + 1));
        }
        return array;
    }

    private @Nullable Object containerOrOpen(ResolvableType type, Class<?> raw, int depth) {
        if (Map.Entry.class == raw) {
            return new AbstractMap.SimpleEntry<>(
                    value(type.getGeneric(0), depth + 1), value(type.getGeneric(1), depth + 1));
        }
        if (Map.class.isAssignableFrom(raw)) {
            return map(type, raw, depth);
        }
        if (Iterable.class == raw || Collection.class.isAssignableFrom(raw)) {
            return collection(type, raw, depth);
        }
        if (raw == Optional.class) {
            return Optional.ofNullable(value(type.getGeneric(0), depth + 1));
        }
        if (raw == AtomicReference.class) {
            return new AtomicReference<>(value(type.getGeneric(0), depth + 1));
        }
        return openValue(raw, depth);
    }

    private @Nullable Object openValue(Class<?> raw, int depth) {
        for (int i = 0; i < 50; i++) {
            Object value = switch (random.nextInt(6)) {
                case 0 ->
                    depth > DEEPEST
                            ? "text"
                            : new LinkedHashMap<>(
                                    Map.of("key", LEAVES.get(Long.class).apply(random)));
                case 1 -> new ArrayList<>(List.of("a", 1));
                case 2 -> "text";
                default ->
                    List.copyOf(LEAVES.values())
                            .get(random.nextInt(LEAVES.size()))
                            .apply(random);
            };
            if (raw.isInstance(value)) {
                return value;
            }
        }
        return null;
    }

    private @Nullable Object declaredValue(ResolvableType type, Class<?> raw, int depth) {
        List<Class<?>> candidates = DECLARED.stream()
                .filter(candidate -> raw.isAssignableFrom(candidate) && !Modifier.isAbstract(candidate.getModifiers()))
                .toList();
        if (candidates.isEmpty() || depth > DEEPEST) {
            return null;
        }
        Class<?> chosen = candidates.get(random.nextInt(candidates.size()));
        return instance(ResolvableType.forClassWithGenerics(chosen, type.getGenerics()), chosen, depth);
    }

    @SuppressWarnings("unchecked")
    private Object instance(ResolvableType type, Class<?> chosen, int depth) {
        try {
            Constructor<?> constructor = chosen.getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            Object[] arguments = Arrays.stream(constructor.getGenericParameterTypes())
                    .map(parameter -> value(ResolvableType.forType(parameter, type), depth + 1))
                    .toArray();
            Object made = constructor.newInstance(arguments);
            if (made instanceof Map<?, ?>) {
                ((Map<String, @Nullable Object>) made)
                        .put("key", value(type.as(Map.class).getGeneric(1), depth + 1));
            } else if (made instanceof List<?>) {
                ((List<@Nullable Object>) made).add(value(type.as(List.class).getGeneric(0), depth + 1));
            }
            for (Class<?> declaring = chosen;
                    declaring.getClassLoader() == chosen.getClassLoader() && !chosen.isRecord();
                    declaring = declaring.getSuperclass()) {
                fill(made, declaring, type, depth);
            }
            return made;
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(chosen.toString(), impossible);
        }
    }

    private void fill(Object made, Class<?> declaring, ResolvableType type, int depth) throws IllegalAccessException {
        for (Field field : declaring.getDeclaredFields()) {
            if ((field.getModifiers() & (Modifier.STATIC | Modifier.FINAL)) == 0) {
                field.setAccessible(true);
                field.set(
                        made,
                        field.getName().equals("back") && random.nextBoolean()
                                ? made
                                : value(ResolvableType.forField(field, type), depth + 1));
            }
        }
    }

    private Object map(ResolvableType type, Class<?> raw, int depth) {
        ResolvableType generic = type.as(Map.class);
        Map<Object, Object> map = raw == HashMap.class
                ? new HashMap<>()
                : SortedMap.class.isAssignableFrom(raw)
                        ? new TreeMap<>(random.nextBoolean() ? null : reversed())
                        : new LinkedHashMap<>();
        for (int i = random.nextInt(depth > DEEPEST ? 1 : 4); i > 0; i--) {
            Object key = value(generic.getGeneric(0), depth + 1);
            if (key != null) {
                map.put(key, value(generic.getGeneric(1), depth + 1));
            }
        }
        return map;
    }

    private Object collection(ResolvableType type, Class<?> raw, int depth) {
        ResolvableType element = type.as(raw == Iterable.class ? Iterable.class : Collection.class)
                .getGeneric(0);
        Collection<@Nullable Object> values;
        if (SortedSet.class.isAssignableFrom(raw)) {
            values = new TreeSet<>(random.nextBoolean() ? null : reversed());
        } else if (raw == HashSet.class) {
            values = new HashSet<>();
        } else if (Set.class.isAssignableFrom(raw) || (raw == Collection.class && random.nextInt(3) == 0)) {
            values = new LinkedHashSet<>();
        } else {
            values = Deque.class == raw ? new ArrayDeque<>() : new ArrayList<>();
        }
        for (int i = random.nextInt(depth > DEEPEST ? 1 : 4); i > 0; i--) {
            Object value = value(element, depth + 1);
            if (value != null || !(values instanceof SortedSet || values instanceof Deque)) {
                values.add(value);
            }
        }
        return raw == List.class && random.nextBoolean() && !values.contains(null) ? List.copyOf(values) : values;
    }

    @SuppressWarnings("unchecked")
    private static Comparator<Object> reversed() {
        return (Comparator<Object>) (Comparator<?>) Comparator.<String>reverseOrder();
    }

    private static <T> T any(Random random, List<T> candidates) {
        return candidates.get(random.nextInt(candidates.size()));
    }

    private <T> T any(T[] candidates) {
        return candidates[random.nextInt(candidates.length)];
    }

    static Map<Class<?>, Function<Random, Object>> leaves() {
        Map<Class<?>, Function<Random, Object>> leaves = new LinkedHashMap<>();
        leaves.put(Boolean.class, Random::nextBoolean);
        leaves.put(Integer.class, random -> any(random, List.of(0, 1, -1, Integer.MAX_VALUE)));
        leaves.put(Long.class, random -> any(random, List.of(0L, 42L, -1L, Long.MIN_VALUE)));
        leaves.put(Double.class, random -> any(random, List.of(0.0, -0.0, 0.1, Double.NaN, 1e300, 5.0)));
        leaves.put(Float.class, random -> any(random, List.of(0f, 0.1f, Float.POSITIVE_INFINITY)));
        leaves.put(Short.class, random -> (short) random.nextInt());
        leaves.put(Byte.class, random -> (byte) random.nextInt());
        leaves.put(Character.class, random -> any(random, List.of('x', '\u20ac', ' ')));
        leaves.put(String.class, random -> any(random, List.of("", "a", "Bc", "\u0000 \"\u20ac\ud83d\ude00", "null")));
        leaves.put(
                BigDecimal.class,
                random -> new BigDecimal(
                        any(random, List.of("0", "0.00", "1.10", "1E+2", "-1E-20", "123456789012345678901"))));
        leaves.put(BigInteger.class, random -> new BigInteger(70, random));
        leaves.put(UUID.class, random -> new UUID(random.nextLong(), random.nextLong()));
        Instant instant = Instant.parse("2026-02-03T04:05:06.123456789Z");
        leaves.put(Instant.class, random -> instant.plusNanos(random.nextInt()));
        leaves.put(LocalDate.class, random -> LocalDate.ofEpochDay(random.nextInt(100_000)));
        leaves.put(LocalTime.class, random -> LocalTime.ofNanoOfDay(random.nextInt(Integer.MAX_VALUE) * 40_000L));
        leaves.put(LocalDateTime.class, random -> LocalDateTime.ofEpochSecond(random.nextInt(), 5, ZoneOffset.UTC));
        leaves.put(OffsetDateTime.class, random -> instant.atOffset(ZoneOffset.ofHours(random.nextInt(5))));
        leaves.put(
                ZonedDateTime.class,
                random -> instant.atZone(ZoneId.of(any(random, List.of("Europe/Berlin", "UTC", "Z", "+02:00")))));
        leaves.put(Duration.class, random -> Duration.ofNanos(random.nextLong() / 1000));
        leaves.put(Period.class, random -> Period.of(random.nextInt(3), 14, 0));
        leaves.put(YearMonth.class, random -> YearMonth.of(2000 + random.nextInt(50), 3));
        leaves.put(DayOfWeek.class, random -> any(random, List.of(DayOfWeek.values())));
        leaves.put(ZoneId.class, random -> ZoneId.of(any(random, List.of("Europe/Berlin", "Z", "America/New_York"))));
        leaves.put(URI.class, random -> URI.create("https://example.org/" + random.nextInt(3)));
        leaves.put(Locale.class, random -> any(random, List.of(Locale.GERMANY, Locale.ROOT, Locale.ENGLISH)));
        leaves.put(Currency.class, random -> Currency.getInstance("EUR"));
        leaves.put(Date.class, random -> new Date(random.nextLong() >> 24));
        leaves.put(String[].class, random -> new String[] {"a", random.nextBoolean() ? "b" : null});
        leaves.put(byte[].class, random -> new byte[] {(byte) random.nextInt(), 0});
        leaves.put(int[].class, random -> new int[] {random.nextInt()});
        leaves.put(double[].class, random -> new double[] {random.nextDouble(), Double.NaN});
        leaves.put(AtomicInteger.class, random -> new AtomicInteger(random.nextInt()));
        leaves.put(OptionalInt.class, random -> random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(5));
        leaves.put(Number.class, random -> any(random, List.of(1, 5L, 0.5, new BigDecimal("1.00"), BigInteger.TEN)));
        leaves.put(CharSequence.class, random -> random.nextBoolean() ? "text" : new StringBuilder("text"));
        leaves.put(Serializable.class, random -> random.nextBoolean() ? "text" : 7L);
        leaves.put(
                JsonNode.class,
                random -> JsonNodeFactory.instance
                        .objectNode()
                        .put("a", random.nextInt())
                        .put("b", new BigDecimal(any(random, List.of("1.00", "0.5")))));
        leaves.put(Pattern.class, random -> Pattern.compile("a*", random.nextBoolean() ? Pattern.CASE_INSENSITIVE : 0));
        leaves.put(StringBuilder.class, random -> new StringBuilder("text"));
        leaves.put(RuntimeException.class, random -> new IllegalStateException("failed"));
        leaves.put(InputStream.class, random -> new ByteArrayInputStream(new byte[] {1}));
        return leaves;
    }
}
