package io.idempotency.internal.codec;

import java.lang.reflect.Field;
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

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Finds where a replay differs from the first answer in what an application can observe: the classes, all fields whatever
 * their visibility, and the order where there is one. The comparison looks at the objects and not at their JSON, which shows
 * neither what is hidden from it nor that a {@code LocalDate} has become a {@code String}.
 */
final class ReplayComparison {

    /** Spares all other responses the bookkeeping that ends the comparison of objects that refer to each other. */
    private static final int CYCLES_ARE_DEEPER_THAN = 16;

    private static final Set<Class<?>> SHOWN_BY_THEIR_TEXT = Set.of(
            AtomicBoolean.class,
            AtomicInteger.class,
            AtomicLong.class,
            Pattern.class,
            StringBuffer.class,
            StringBuilder.class,
            // Its equals asks the name service.
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

    /** Returns null if the two cannot be told apart. */
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
            return depth > CYCLES_ARE_DEEPER_THAN && !compared.add(new Pair(first, replayed))
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
            return isOfTheSameKind(collection, replayed)
                    ? compareCollections(collection, (Collection<?>) replayed)
                    : Difference.between(first, replayed);
        }
        if (first instanceof JsonNode && replayed instanceof JsonNode) {
            // A tree is JSON: that a 5 was a long before is no part of it.
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
        return compareState(first, replayed, STATES.get(first.getClass()));
    }

    private @Nullable Difference compareState(Object first, Object replayed, State state) {
        for (Field field : state.fields) {
            Difference difference = compare(valueOf(field, first), valueOf(field, replayed));
            if (difference != null) {
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

    /** Which class an element has does not count; a list is not a set. */
    private static boolean isOfTheSameKind(Collection<?> first, Object replayed) {
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
        if (difference != null && first instanceof Set && !hasOrder(first) && haveTheSame(first, replayed)) {
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
        if (difference != null && !hasOrder(first.keySet()) && haveTheSame(first.entrySet(), replayed.entrySet())) {
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

    /** Hash tables that were filled alike have almost the same order, so that each partner is found near the beginning. */
    private static boolean haveTheSame(Collection<?> first, Collection<?> replayed) {
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

    /** JSON does not show the fields that a subclass of a collection or map has beside its elements. */
    private @Nullable Difference compareFurtherState(Object first, Object replayed) {
        State state = STATES.get(first.getClass());
        if (state.fields.isEmpty()) {
            return null;
        }
        return first.getClass() == replayed.getClass()
                ? compareState(first, replayed, state)
                : Difference.between(first, replayed);
    }

    /**
     * The state of the objects of one class.
     *
     * @param fields those that can be read and have to be compared
     * @param rest how the state that is not in these fields is compared
     */
    private record State(List<Field> fields, Rest rest) {

        static State of(Class<?> type) {
            boolean hasEquals = hasEquals(type);
            List<Field> fields = new ArrayList<>();
            Class<?> declaring = type;
            while (!isOfPlatform(declaring)) {
                for (Field field : declaring.getDeclaredFields()) {
                    if (isState(field, hasEquals)) {
                        if (!field.trySetAccessible()) {
                            return new State(List.of(), hasEquals ? Rest.EQUALS : Rest.UNKNOWN);
                        }
                        fields.add(field);
                    }
                }
                declaring = declaring.getSuperclass();
            }
            if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
                // Who extends an abstract collection keeps the elements in fields.
                return new State(
                        Modifier.isAbstract(declaring.getModifiers()) || declaring == Object.class
                                ? List.of()
                                : List.copyOf(fields),
                        Rest.NONE);
            }
            return new State(List.copyOf(fields), restOf(declaring, hasEquals));
        }

        private static Rest restOf(Class<?> platformClass, boolean hasEquals) {
            if (platformClass == Object.class || platformClass == Record.class) {
                return Rest.NONE;
            }
            if (SHOWN_BY_THEIR_TEXT.contains(platformClass)) {
                return Rest.TEXT;
            }
            return hasEquals(platformClass) && hasEquals ? Rest.EQUALS : Rest.UNKNOWN;
        }

        /** A transient field that equals leaves out is twice said to be none. */
        private static boolean isState(Field field, boolean hasEquals) {
            return !Modifier.isStatic(field.getModifiers())
                    && !field.isSynthetic()
                    && !(hasEquals && Modifier.isTransient(field.getModifiers()));
        }

        private static boolean hasEquals(Class<?> type) {
            try {
                return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        private static boolean isOfPlatform(Class<?> type) {
            ClassLoader loader = type.getClassLoader();
            return loader == null || loader == ClassLoader.getPlatformClassLoader();
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

    /**
     * Where two answers differ. Shows no values, because a response may hold secrets.
     *
     * @param path from the response, which is {@code $}
     * @param reason what the two are there
     */
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
