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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The fields that are the state of the objects of one class: those of the class and its superclasses, whatever their visibility. Replays
 * are compared by them, and payloads must show them in their JSON.
 */
public final class ObjectState {

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

    private static final ClassValue<ObjectState> STATES = new ClassValue<>() {
        @Override
        protected ObjectState computeValue(Class<?> type) {
            return new ObjectState(type);
        }
    };

    private final Class<?> type;

    private final List<Field> fields;

    private ObjectState(Class<?> type) {
        this.type = type;
        List<Field> all = new ArrayList<>();
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            Stream.of(declaring.getDeclaredFields())
                    .filter(ObjectState::isState)
                    .forEach(all::add);
        }
        this.fields = List.copyOf(all);
    }

    /** Returns the state of the objects of a class. */
    public static ObjectState of(Class<?> type) {
        return STATES.get(type);
    }

    private static boolean isState(Field field) {
        return !Modifier.isStatic(field.getModifiers())
                && !field.isSynthetic()
                && field.getDeclaringClass() != Proxy.class
                && !TOOLS.contains(field.getType().getName());
    }

    /** Returns the fields that no class of the Java platform declares. */
    public List<Field> ownFields() {
        return fields.stream()
                .filter(field -> !PayloadTypes.isOfPlatform(field.getDeclaringClass()))
                .toList();
    }

    /** Returns the nearest class of the Java platform: the class itself or a superclass. */
    public Class<?> platformClass() {
        Class<?> platform = type;
        while (platform != null && !PayloadTypes.isOfPlatform(platform)) {
            platform = platform.getSuperclass();
        }
        return platform == null ? Object.class : platform;
    }

    /**
     * Returns whether own fields are beside all that the class of the platform holds, as in a subclass of ArrayList. One of an abstract
     * collection keeps its elements in its fields.
     */
    public boolean extendsCompleteClass() {
        Class<?> platform = platformClass();
        return platform != Object.class && !Modifier.isAbstract(platform.getModifiers());
    }

    /** Returns the fields that certain properties show: their own, or those of the names of their getters. */
    Set<Field> shownBy(Collection<? extends Member> accessors) {
        return accessors.stream()
                .flatMap(accessor -> accessor instanceof Field field ? Stream.of(field) : fieldOf(propertyOf(accessor)))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private Stream<Field> fieldOf(String property) {
        return Stream.<UnaryOperator<String>>of(UnaryOperator.identity(), ObjectState::withoutPrefix)
                .flatMap(naming -> inPayloads()
                        .filter(field -> plain(naming.apply(field.getName())).equals(property)))
                .limit(1);
    }

    /** Returns the only map of the class, whose entries a method of another name may show; empty if it has none or several. */
    List<Field> entries() {
        List<Field> maps = inPayloads()
                .filter(field -> Map.class.isAssignableFrom(field.getType()))
                .toList();
        return maps.size() == 1 ? maps : List.of();
    }

    /** Returns the name of a getter, an accessor or one of Kotlin's, which has a suffix, without regard to case. */
    private static String propertyOf(Member method) {
        String name = method.getName().split("[-$]", 2)[0];
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
     * Returns whether the class has state and none of it is shown. Classes of the Java platform must show all of it: they are not made for
     * JSON, and their getters tell of the state but do not give it.
     */
    boolean isInvisible(Set<Field> shown) {
        if (PayloadTypes.isOfPlatform(type)) {
            return !inPayloads().allMatch(shown::contains);
        }
        List<Field> state = persistent().toList();
        if (state.isEmpty()) {
            // A class that serializes itself marks all fields as transient.
            state = inPayloads().toList();
        }
        return !state.isEmpty() && state.stream().noneMatch(shown::contains);
    }

    /** Returns the fields that are not shown, but for transient ones and a cached hash code. */
    List<Field> hidden(Set<Field> shown) {
        return persistent()
                .filter(field -> !shown.contains(field))
                .filter(field -> field.getType() != int.class || !CACHED_HASHES.contains(plain(field.getName())))
                .toList();
    }

    private Stream<Field> persistent() {
        return inPayloads().filter(field -> !Modifier.isTransient(field.getModifiers()));
    }

    /** Compilers and frameworks put a dollar into the names of fields that they add; what they hold has a getter. */
    private Stream<Field> inPayloads() {
        return fields.stream().filter(field -> field.getName().indexOf('$') < 0);
    }
}
