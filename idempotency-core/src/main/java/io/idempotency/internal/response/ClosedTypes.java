package io.idempotency.internal.response;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ConcurrentReferenceHashMap;

import io.idempotency.codec.ResponseCodec;

/**
 * The closed types, whose values lose nothing in JSON: records, lists, sets and maps of well-known values. The codec
 * must write and read back samples of them, including values that a format, a filter or a setting of the mapper would
 * change. Other types may lose something with one value but not with another.
 */
final class ClosedTypes {

    private static final Map<Class<?>, List<Object>> SAMPLES = samples();

    private final Map<Type, Boolean> closedByType = new ConcurrentReferenceHashMap<>();

    boolean include(Type type, ResponseCodec codec) {
        Boolean isClosed = closedByType.get(type);
        if (isClosed == null) {
            isClosed = isClosed(type, codec);
            closedByType.put(type, isClosed);
        }
        return isClosed;
    }

    private static boolean isClosed(Type type, ResponseCodec codec) {
        List<@Nullable Object> samples = samplesOf(ResolvableType.forType(type), new HashSet<>());
        return samples != null && samples.stream().allMatch(sample -> isReadBack(sample, type, codec));
    }

    private static boolean isReadBack(@Nullable Object sample, Type type, ResponseCodec codec) {
        try {
            return ReplayComparison.differenceOf(sample, codec.decode(codec.encode(sample, type), type)) == null;
        } catch (RuntimeException lost) {
            return false;
        }
    }

    /** Returns sample values of a type; null if the type is not closed. */
    private static @Nullable List<@Nullable Object> samplesOf(ResolvableType type, Set<Class<?>> enclosing) {
        Class<?> raw = type.resolve(Object.class);
        List<Object> values = raw.isEnum() ? List.of(raw.getEnumConstants()) : SAMPLES.get(raw);
        if (values != null) {
            return raw.isPrimitive() ? new ArrayList<>(values) : withNull(values);
        }
        if (raw.isRecord()) {
            return enclosing.add(raw) ? samplesOfRecord(type, raw, enclosing) : null;
        }
        if (raw == List.class || raw == Set.class) {
            List<@Nullable Object> elements = samplesOf(type.getGeneric(0), enclosing);
            return elements == null
                    ? null
                    : withNull(
                            raw == List.class
                                    ? List.of(elements, List.of())
                                    : List.of(new LinkedHashSet<>(elements), Set.of()));
        }
        if (raw == Map.class && type.getGeneric(0).resolve() == String.class) {
            List<@Nullable Object> elements = samplesOf(type.getGeneric(1), enclosing);
            return elements == null ? null : withNull(List.of(mapOf(elements), Map.of()));
        }
        return null;
    }

    private static Map<String, @Nullable Object> mapOf(List<@Nullable Object> elements) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        elements.forEach(element -> map.put("key " + map.size(), element));
        return map;
    }

    private static List<@Nullable Object> withNull(List<?> values) {
        List<@Nullable Object> all = new ArrayList<>(values);
        all.add(null);
        return all;
    }

    private static @Nullable List<@Nullable Object> samplesOfRecord(
            ResolvableType type, Class<?> raw, Set<Class<?>> enclosing) {
        List<List<@Nullable Object>> componentSamples = new ArrayList<>();
        int sampleCount = 1;
        for (RecordComponent component : raw.getRecordComponents()) {
            List<@Nullable Object> samples =
                    samplesOf(ResolvableType.forType(component.getGenericType(), type), enclosing);
            if (samples == null) {
                return null;
            }
            componentSamples.add(samples);
            sampleCount = Math.max(sampleCount, samples.size());
        }
        enclosing.remove(raw);
        List<@Nullable Object> records = recordsOf(raw, componentSamples, sampleCount);
        return records.isEmpty() ? null : withNull(records);
    }

    /** Creates sample records; values that the constructor refuses are skipped, because they do not occur. */
    private static List<@Nullable Object> recordsOf(
            Class<?> raw, List<List<@Nullable Object>> componentSamples, int count) {
        List<@Nullable Object> records = new ArrayList<>();
        try {
            Constructor<?> constructor = raw.getDeclaredConstructor(Arrays.stream(raw.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new));
            for (int i = 0; i < count && constructor.trySetAccessible(); i++) {
                int sample = i;
                @Nullable Object[] arguments = componentSamples.stream()
                        .map(samples -> samples.get(sample % samples.size()))
                        .toArray();
                make(constructor, arguments).ifPresent(records::add);
            }
            return records;
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Optional<Object> make(Constructor<?> constructor, @Nullable Object[] arguments)
            throws ReflectiveOperationException {
        try {
            return Optional.of(constructor.newInstance(arguments));
        } catch (InvocationTargetException refused) {
            return Optional.empty();
        }
    }

    private static Map<Class<?>, List<Object>> samples() {
        Map<Class<?>, List<Object>> samples = new HashMap<>();
        Instant instant = Instant.parse("2026-02-03T04:05:06.123456789Z");
        add(samples, boolean.class, Boolean.class, false, true);
        add(samples, byte.class, Byte.class, (byte) 0, Byte.MIN_VALUE);
        add(samples, short.class, Short.class, (short) 0, Short.MIN_VALUE);
        add(samples, int.class, Integer.class, 0, 42, Integer.MIN_VALUE);
        add(samples, long.class, Long.class, 0L, 42L, Long.MIN_VALUE);
        add(samples, float.class, Float.class, 0.0f, -0.0f, 0.1f, Float.NaN);
        add(samples, double.class, Double.class, 0.0, -0.0, 0.1, Double.NaN, Double.MIN_VALUE);
        add(samples, char.class, Character.class, 'x', ' ', '\u0000');
        samples.put(
                String.class,
                List.of(
                        "",
                        " A\u00e9\u20ac\u0000\ud83d\ude00 ",
                        "null",
                        "1.50",
                        "2026-02-03",
                        // Applications escape markup and mask addresses and numbers.
                        "<b>Tom & Jerry</b>\n\"it's\" \\ tom@example.com 4111 1111 1111 1111"));
        samples.put(
                BigDecimal.class,
                List.of(new BigDecimal("0.00"), new BigDecimal("1E+2"), new BigDecimal("-12345678901234567890.50")));
        samples.put(BigInteger.class, List.of(BigInteger.ZERO, BigInteger.TWO.pow(100)));
        samples.put(UUID.class, List.of(new UUID(0, 0), new UUID(-1, 7)));
        samples.put(Instant.class, List.of(Instant.EPOCH, instant));
        samples.put(LocalDate.class, List.of(LocalDate.EPOCH, LocalDate.of(2024, 2, 29)));
        samples.put(LocalTime.class, List.of(LocalTime.MIN, LocalTime.MAX));
        samples.put(
                LocalDateTime.class,
                List.of(LocalDateTime.of(2026, 2, 3, 4, 5), LocalDateTime.of(2026, 2, 3, 4, 5, 6, 123456789)));
        samples.put(
                OffsetDateTime.class,
                List.of(
                        OffsetDateTime.parse("2026-02-03T04:05:06.123456789-05:30"),
                        OffsetDateTime.parse("2026-02-03T04:05Z")));
        samples.put(Duration.class, List.of(Duration.ZERO, Duration.ofSeconds(-90, 1)));
        return Map.copyOf(samples);
    }

    private static void add(
            Map<Class<?>, List<Object>> samples, Class<?> primitive, Class<?> wrapper, Object... values) {
        samples.put(primitive, List.of(values));
        samples.put(wrapper, List.of(values));
    }
}
