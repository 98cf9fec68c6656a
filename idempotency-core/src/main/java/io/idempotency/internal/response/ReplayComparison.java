package io.idempotency.internal.response;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.xml.datatype.XMLGregorianCalendar;
import javax.xml.namespace.QName;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JsonNode;

import io.idempotency.internal.fingerprint.ObjectState;

/**
 * A search for an observable difference between a replay and the first response: in classes, in fields of any
 * visibility, or in the order of ordered collections. It compares the objects and not their JSON, which does not show
 * hidden members, or that a {@code LocalDate} has become a {@code String}. A default that a getter gives for an unset field
 * is none.
 */
final class ReplayComparison {

    /**
     * The depth from which compared pairs are remembered to detect cycles, so that flat responses do not pay for it.
     */
    private static final int CYCLE_DETECTION_DEPTH = 16;

    private static final Set<Class<?>> COMPARED_BY_TEXT = Set.of(
            AtomicBoolean.class,
            AtomicInteger.class,
            AtomicLong.class,
            Pattern.class,
            StringBuffer.class,
            StringBuilder.class,
            // Its equals queries the name service.
            URL.class);

    private static final ClassValue<State> STATES = new ClassValue<>() {
        @Override
        protected State computeValue(Class<?> type) {
            return State.of(type);
        }
    };

    private final Set<Pair> compared = new HashSet<>(0);

    private int depth;

    private ReplayComparison() {}

    /** Returns the first difference; null if there is none. */
    static @Nullable Difference differenceOf(@Nullable Object first, @Nullable Object replayed) {
        return new ReplayComparison().compare(first, replayed);
    }

    private @Nullable Difference compare(@Nullable Object first, @Nullable Object replayed) {
        if (first == replayed) {
            return null;
        }
        if (first == null || replayed == null) {
            return Difference.between(first, replayed);
        }
        depth++;
        try {
            return depth > CYCLE_DETECTION_DEPTH && !compared.add(new Pair(first, replayed))
                    ? null
                    : compareObjects(first, replayed);
        } finally {
            depth--;
        }
    }

    private @Nullable Difference compareObjects(Object first, Object replayed) {
        if (first instanceof Map<?, ?> map) {
            return replayed instanceof Map<?, ?> other ? compareMaps(map, other) : Difference.between(first, replayed);
        }
        if (first instanceof Collection<?> collection) {
            return isSameKind(collection, replayed)
                    ? compareCollections(collection, (Collection<?>) replayed)
                    : Difference.between(first, replayed);
        }
        if (first instanceof JsonNode && replayed instanceof JsonNode) {
            // A tree is JSON, which does not distinguish int and long.
            return Difference.unless(first.toString().equals(replayed.toString()), first, replayed);
        }
        if (first instanceof Map.Entry<?, ?> entry && replayed instanceof Map.Entry<?, ?> other) {
            return compareEntries(entry, other);
        }
        if (first.getClass() != replayed.getClass()) {
            return Difference.between(first, replayed);
        }
        if (first instanceof Object[] array) {
            return compareArrays(array, (Object[]) replayed);
        }
        if (first.getClass().isArray()) {
            return Difference.unless(Arrays.deepEquals(new Object[] {first}, new Object[] {replayed}), first, replayed);
        }
        if (first instanceof Optional<?> optional) {
            return compare(optional.orElse(null), ((Optional<?>) replayed).orElse(null));
        }
        if (first instanceof AtomicReference<?> reference) {
            return compare(reference.get(), ((AtomicReference<?>) replayed).get());
        }
        if (first instanceof Pattern pattern && pattern.flags() != ((Pattern) replayed).flags()) {
            return Difference.between(first, replayed);
        }
        if (first instanceof XMLGregorianCalendar calendar
                && !calendar.toXMLFormat().equals(((XMLGregorianCalendar) replayed).toXMLFormat())) {
            // Its equals compares moments.
            return Difference.between(first, replayed);
        }
        if (first instanceof QName name && !name.getPrefix().equals(((QName) replayed).getPrefix())) {
            return Difference.between(first, replayed);
        }
        return compareState(first, replayed, STATES.get(first.getClass()));
    }

    private @Nullable Difference compareState(Object first, Object replayed, State state) {
        for (Field field : state.fields) {
            Object value = valueOf(field, first);
            Object other = valueOf(field, replayed);
            Difference difference = compare(value, other);
            if (difference != null && !isDefault(first, field, value, other)) {
                return difference.within("." + field.getName());
            }
        }
        return switch (state.rest) {
            case NONE -> null;
            case TEXT -> Difference.unless(first.toString().equals(replayed.toString()), first, replayed);
            case EQUALS -> Difference.unless(first.equals(replayed), first, replayed);
            case UNKNOWN -> Difference.unknown(first);
        };
    }

    /** Returns whether a field is unset, and the replay has in it what the getter of the field gives all the same. */
    private boolean isDefault(Object owner, Field field, @Nullable Object unset, @Nullable Object replayed) {
        if (unset != null && !unset.equals(false) && !(unset instanceof Number number && number.doubleValue() == 0)) {
            return false;
        }
        for (String prefix : List.of("get", "is", "")) {
            String name = prefix.isEmpty() ? field.getName() : prefix + StringUtils.capitalize(field.getName());
            try {
                Method getter = owner.getClass().getMethod(name);
                return getter.trySetAccessible() && compare(getter.invoke(owner), replayed) == null;
            } catch (NoSuchMethodException other) {
                // The next name.
            } catch (ReflectiveOperationException failing) {
                return false;
            }
        }
        return false;
    }

    private static @Nullable Object valueOf(Field field, Object owner) {
        try {
            return field.get(owner);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private @Nullable Difference compareArrays(@Nullable Object[] first, @Nullable Object[] replayed) {
        return first.length == replayed.length
                ? compareInOrder(Arrays.asList(first), Arrays.asList(replayed))
                : Difference.ofSizes(first.length, replayed.length);
    }

    /** Returns whether both are lists, sets or other collections; their classes do not count. */
    private static boolean isSameKind(Collection<?> first, Object replayed) {
        if (first instanceof List) {
            return replayed instanceof List;
        }
        return first instanceof Set ? replayed instanceof Set : replayed instanceof Collection;
    }

    private @Nullable Difference compareCollections(Collection<?> first, Collection<?> replayed) {
        if (first.size() != replayed.size()) {
            return Difference.ofSizes(first.size(), replayed.size());
        }
        Difference difference = compareInOrder(first, replayed);
        if (difference != null && first instanceof Set && !hasOrder(first) && haveEqualElements(first, replayed)) {
            difference = null;
        }
        return difference != null ? difference : compareFurtherState(first, replayed);
    }

    private @Nullable Difference compareInOrder(Collection<?> first, Collection<?> replayed) {
        Iterator<?> others = replayed.iterator();
        int index = 0;
        for (Object element : first) {
            Difference difference = compare(element, others.next());
            if (difference != null) {
                return difference.within("[" + index + "]");
            }
            index++;
        }
        return null;
    }

    private @Nullable Difference compareMaps(Map<?, ?> first, Map<?, ?> replayed) {
        if (first.size() != replayed.size()) {
            return Difference.ofSizes(first.size(), replayed.size());
        }
        Difference difference = compareInOrder(first, replayed);
        if (difference != null
                && !hasOrder(first.keySet())
                && haveEqualElements(first.entrySet(), replayed.entrySet())) {
            difference = null;
        }
        return difference != null ? difference : compareFurtherState(first, replayed);
    }

    private @Nullable Difference compareInOrder(Map<?, ?> first, Map<?, ?> replayed) {
        Iterator<? extends Map.Entry<?, ?>> others = replayed.entrySet().iterator();
        for (Map.Entry<?, ?> entry : first.entrySet()) {
            Difference difference = compareEntries(entry, others.next());
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private @Nullable Difference compareEntries(Map.Entry<?, ?> first, Map.Entry<?, ?> replayed) {
        Difference difference = compare(first.getKey(), replayed.getKey());
        if (difference != null) {
            return difference.within("[key]");
        }
        difference = compare(first.getValue(), replayed.getValue());
        return difference == null ? null : difference.within(Difference.step(first.getKey()));
    }

    private static boolean hasOrder(Collection<?> collection) {
        return collection.spliterator().hasCharacteristics(Spliterator.ORDERED);
    }

    /**
     * Compares without order. Similar hash tables have almost the same order, so that each partner is found near the
     * beginning.
     */
    private static boolean haveEqualElements(Collection<?> first, Collection<?> replayed) {
        List<@Nullable Object> unmatched = new ArrayList<>(replayed);
        for (Object element : first) {
            Iterator<?> candidates = unmatched.iterator();
            boolean isFound = false;
            while (!isFound && candidates.hasNext()) {
                isFound = differenceOf(element, candidates.next()) == null;
            }
            if (!isFound) {
                return false;
            }
            candidates.remove();
        }
        return true;
    }

    /** Compares the fields that a subclass of a collection or map has in addition to its elements. */
    private @Nullable Difference compareFurtherState(Object first, Object replayed) {
        State state = STATES.get(first.getClass());
        if (state.fields.isEmpty()) {
            return null;
        }
        return first.getClass() == replayed.getClass()
                ? compareState(first, replayed, state)
                : Difference.between(first, replayed);
    }

    /** The state of the objects of one class. */
    private record State(List<Field> fields, Rest rest) {

        static State of(Class<?> type) {
            ObjectState state = ObjectState.of(type);
            boolean hasEquals = hasEquals(type);
            List<Field> fields = state.ownFields().stream()
                    // A class with its own equals says itself what is only remembered.
                    .filter(field -> !(hasEquals && Modifier.isTransient(field.getModifiers())))
                    .toList();
            if (!fields.stream().allMatch(Field::trySetAccessible)) {
                return new State(List.of(), hasEquals ? Rest.EQUALS : Rest.UNKNOWN);
            }
            if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
                return new State(state.extendsCompleteClass() ? fields : List.of(), Rest.NONE);
            }
            return new State(fields, restOf(state.platformClass(), hasEquals));
        }

        private static Rest restOf(Class<?> platformClass, boolean hasEquals) {
            if (platformClass == Object.class || platformClass == Record.class) {
                return Rest.NONE;
            }
            if (COMPARED_BY_TEXT.contains(platformClass)) {
                return Rest.TEXT;
            }
            return hasEquals(platformClass) && hasEquals ? Rest.EQUALS : Rest.UNKNOWN;
        }

        private static boolean hasEquals(Class<?> type) {
            try {
                return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    private enum Rest {
        NONE,
        TEXT,
        EQUALS,
        UNKNOWN
    }

    private record Pair(Object first, Object replayed) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Pair pair && pair.first == first && pair.replayed == replayed;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(first) + System.identityHashCode(replayed);
        }
    }

    /** A difference of two responses. It shows no values, because a response may contain secrets. */
    record Difference(String path, String reason) {

        private static final String NAME = "[A-Za-z_$][A-Za-z0-9_$-]{0,63}";

        static @Nullable Difference unless(boolean same, Object first, Object replayed) {
            return same ? null : between(first, replayed);
        }

        static Difference between(@Nullable Object first, @Nullable Object replayed) {
            boolean sameClass = first != null && replayed != null && first.getClass() == replayed.getClass();
            return new Difference(
                    "$",
                    sameClass
                            ? "which is another " + describe(first) + " in the replay"
                            : "which is " + describe(first) + " in the first answer and " + describe(replayed)
                                    + " in the replay");
        }

        static Difference ofSizes(int first, int replayed) {
            return new Difference("$", "which has the size " + first + ", and " + replayed + " in the replay");
        }

        static Difference unknown(Object object) {
            return new Difference("$", "which is " + describe(object) + ", whose state cannot be compared");
        }

        static String step(@Nullable Object key) {
            String name = String.valueOf(key);
            return name.matches(NAME) ? "." + name : "[*]";
        }

        Difference within(String step) {
            return new Difference("$" + step + path.substring(1), reason);
        }

        private static String describe(@Nullable Object value) {
            return value == null ? "null" : value.getClass().getTypeName();
        }
    }
}
