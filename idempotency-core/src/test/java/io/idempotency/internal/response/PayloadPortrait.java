package io.idempotency.internal.response;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JsonNode;

/** All that belongs to a payload, by the words of the contract, as a text. It shares nothing with fingerprints. */
@SuppressWarnings("JavaUtilDate") // Users have members of this class.
final class PayloadPortrait {

    private final IdentityHashMap<Object, Integer> open = new IdentityHashMap<>();

    private PayloadPortrait() {}

    static String of(@Nullable Object payload) {
        return new PayloadPortrait().draw(payload);
    }

    private String draw(@Nullable Object value) {
        if (value == null) {
            return "null";
        }
        Integer above = open.get(value);
        if (above != null) {
            return "^" + (open.size() - above);
        }
        open.put(value, open.size());
        String drawn = drawAnew(value);
        open.remove(value);
        return drawn;
    }

    private String drawAnew(Object value) {
        if (value instanceof Optional<?> optional) {
            return draw(optional.orElse(null));
        }
        if (value instanceof AtomicReference<?> reference) {
            return draw(reference.get());
        }
        if (value instanceof OptionalInt optional) {
            return optional.isEmpty() ? "null" : number(optional.getAsInt());
        }
        if (value instanceof Number number) {
            return number(number);
        }
        if (value instanceof byte[] bytes) {
            return "text " + Base64.getEncoder().encodeToString(bytes);
        }
        if (value.getClass().isArray()) {
            List<String> elements = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                elements.add(draw(Array.get(value, i)));
            }
            return elements.toString();
        }
        if (value instanceof Map<?, ?> map) {
            return drawMap(map) + drawMembers(value);
        }
        if (value instanceof Collection<?> collection) {
            List<String> elements = new ArrayList<>();
            collection.forEach(element -> elements.add(draw(element)));
            if (value instanceof Set<?>) {
                Collections.sort(elements);
            }
            return elements + drawMembers(value);
        }
        if (value instanceof Map.Entry<?, ?> entry) {
            return drawMap(Collections.singletonMap(entry.getKey(), entry.getValue()));
        }
        return isOfPlatform(value.getClass()) || value instanceof JsonNode ? drawPlatform(value) : drawOwn(value);
    }

    private static String number(Number number) {
        if (number instanceof Double || number instanceof Float) {
            if (Double.isNaN(number.doubleValue()) || Double.isInfinite(number.doubleValue())) {
                return "text " + number;
            }
        }
        BigDecimal decimal = new BigDecimal(number.toString());
        return decimal.signum() == 0 ? "0" : decimal.stripTrailingZeros().toString();
    }

    /** Keys are texts, and members that are null do not count. */
    private String drawMap(Map<?, ?> map) {
        Map<String, String> members = new TreeMap<>();
        map.forEach((key, value) -> members.put(
                key instanceof byte[] || key instanceof Date ? draw(key) : String.valueOf(key), draw(value)));
        if (map instanceof Properties properties) {
            properties.stringPropertyNames().forEach(name -> members.put(name, draw(properties.getProperty(name))));
        }
        members.values().removeIf("null"::equals);
        return members.toString();
    }

    private static String drawPlatform(Object value) {
        if (value instanceof Timestamp timestamp) {
            return "text " + timestamp.toInstant();
        }
        if (value instanceof Date date) {
            return "text " + date.toInstant();
        }
        if (value instanceof Pattern pattern) {
            return "text " + pattern + (pattern.flags() == 0 ? "" : pattern.flags());
        }
        if (value instanceof InetAddress address) {
            return "text " + address.getHostAddress();
        }
        return (value instanceof Boolean || value instanceof JsonNode ? "" : "text ") + value;
    }

    private String drawOwn(Object value) {
        for (Method method : value.getClass().getDeclaredMethods()) {
            if (method.isAnnotationPresent(JsonValue.class)) {
                String drawn = draw(call(method, value));
                return drawn.equals("null") ? drawn : value.getClass().getName() + drawn;
            }
        }
        return value instanceof Enum<?> constant
                ? constant.getDeclaringClass().getName() + constant.name()
                : value.getClass().getName() + drawMembers(value);
    }

    private String drawMembers(Object value) {
        Map<String, String> members = new TreeMap<>();
        for (Class<?> declaring = value.getClass(); !isOfPlatform(declaring); declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if ((field.getModifiers() & Modifier.STATIC) == 0 && !isDerived(field)) {
                    Object member = read(field, value);
                    String drawn = isHidden(field) && isEmpty(member) ? "null" : draw(member);
                    members.put(declaring.getName() + "." + field.getName(), drawn);
                }
            }
        }
        members.values().removeIf("null"::equals);
        return isOfPlatform(value.getClass()) ? "" : members.toString();
    }

    /** A collection that serializes itself marks its elements as transient. */
    private static boolean isDerived(Field field) {
        return Modifier.isTransient(field.getModifiers()) && field.getDeclaringClass() != ForeignValues.Multimap.class;
    }

    private static boolean isHidden(Field field) {
        String getter = "get" + StringUtils.capitalize(field.getName());
        return field.isAnnotationPresent(JsonIgnore.class)
                || (Modifier.isPrivate(field.getModifiers())
                        && !field.getDeclaringClass().isRecord()
                        && Stream.of(field.getDeclaringClass().getMethods())
                                .noneMatch(method -> method.getName().equals(getter)));
    }

    private static boolean isEmpty(@Nullable Object member) {
        return (member instanceof Collection<?> collection && collection.isEmpty())
                || (member instanceof Map<?, ?> map && map.isEmpty());
    }

    private static boolean isOfPlatform(Class<?> type) {
        return type.getClassLoader() == null || type.getClassLoader() == ClassLoader.getPlatformClassLoader();
    }

    private static @Nullable Object read(Field field, Object value) {
        try {
            field.setAccessible(true);
            return field.get(value);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static @Nullable Object call(Method method, Object value) {
        try {
            method.setAccessible(true);
            return method.invoke(value);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
