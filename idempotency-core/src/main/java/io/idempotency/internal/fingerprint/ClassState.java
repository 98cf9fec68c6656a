package io.idempotency.internal.fingerprint;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/** The fields that make up the state of a class, and which of them certain properties show. */
final class ClassState {

    /** Names and not classes, because most of them are not on every class path. */
    private static final Set<String> TOOLS = Set.of(
            "org.slf4j.Logger",
            "org.apache.commons.logging.Log",
            "org.apache.logging.log4j.Logger",
            "java.util.logging.Logger",
            "java.util.concurrent.locks.Lock",
            "java.util.concurrent.locks.ReentrantLock",
            "java.util.concurrent.locks.ReadWriteLock");

    private static final Set<String> CACHED_HASHES = Set.of("hash", "hashcode", "cachedhashcode", "memoizedhashcode");

    private final List<Field> fields = new ArrayList<>();

    private final Set<Field> shown = new HashSet<>();

    ClassState(Class<?> type, Collection<? extends Member> accessors) {
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if (isState(field)) {
                    fields.add(field);
                }
            }
        }
        accessors.forEach(this::show);
    }

    private static boolean isState(Field field) {
        // Compilers and frameworks put a dollar into the names of fields that they add.
        return !Modifier.isStatic(field.getModifiers())
                && !field.isSynthetic()
                && field.getDeclaringClass() != Proxy.class
                && field.getName().indexOf('$') < 0
                && !TOOLS.contains(field.getType().getName());
    }

    private void show(Member accessor) {
        if (accessor instanceof Field field) {
            shown.add(field);
            return;
        }
        String property = propertyOf(accessor.getName());
        Field field = find(property, UnaryOperator.identity());
        if (field == null) {
            field = find(property, ClassState::withoutPrefix);
        }
        if (field != null) {
            shown.add(field);
        }
    }

    private @Nullable Field find(String property, UnaryOperator<String> naming) {
        return fields.stream()
                .filter(field -> plain(naming.apply(field.getName())).equals(property))
                .findFirst()
                .orElse(null);
    }

    /** Shows the only map of the class, if no property shows one: its entries are written by a method of another name. */
    void showEntries() {
        List<Field> maps = fields.stream()
                .filter(field -> Map.class.isAssignableFrom(field.getType()))
                .toList();
        if (maps.size() == 1) {
            shown.addAll(maps);
        }
    }

    /** Returns the name of a getter, an accessor or one of Kotlin's, which has a suffix, without regard to case. */
    private static String propertyOf(String method) {
        String name = method.split("[-$]", 2)[0];
        int prefix = hasPrefix(name, "get") ? 3 : hasPrefix(name, "is") ? 2 : 0;
        return plain(name.substring(prefix));
    }

    /** Returns the name of a field without a prefix of its kind, as in isOpen, mOpen and m_open. */
    private static String withoutPrefix(String field) {
        return hasPrefix(field, "is")
                ? field.substring(2)
                : hasPrefix(field, field.substring(0, 1)) ? field.substring(1) : field;
    }

    private static boolean hasPrefix(String name, String prefix) {
        return name.length() > prefix.length()
                && name.startsWith(prefix)
                && !Character.isLowerCase(name.charAt(prefix.length()));
    }

    private static String plain(String name) {
        return name.replace("_", "").toLowerCase(Locale.ROOT);
    }

    /**
     * Returns whether the class has state and no property shows a part of it. Classes of the Java platform must show all of
     * it: they are not made for JSON, and their getters tell of the state but do not give it.
     */
    boolean isInvisible(Class<?> type) {
        if (PayloadTypes.isOfPlatform(type)) {
            return !shown.containsAll(fields);
        }
        List<Field> state = persistent();
        if (state.isEmpty()) {
            // A class that serializes itself marks all fields as transient.
            state = fields;
        }
        return !state.isEmpty() && state.stream().noneMatch(shown::contains);
    }

    /** Returns the fields that no property shows, but for transient ones and a cached hash code. */
    List<Field> hidden() {
        return persistent().stream()
                .filter(field -> !shown.contains(field))
                .filter(field -> field.getType() != int.class || !CACHED_HASHES.contains(plain(field.getName())))
                .toList();
    }

    private List<Field> persistent() {
        return fields.stream()
                .filter(field -> !Modifier.isTransient(field.getModifiers()))
                .toList();
    }
}
