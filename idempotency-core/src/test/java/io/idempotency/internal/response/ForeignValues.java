package io.idempotency.internal.response;

import java.math.MathContext;
import java.math.RoundingMode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Function;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Values of the platform and of classes that are not made for JSON, as libraries have them. */
public final class ForeignValues {

    private ForeignValues() {}

    static Map<Class<?>, Function<Random, Object>> leaves() {
        Map<Class<?>, Function<Random, Object>> leaves = new LinkedHashMap<>();
        leaves.put(BitSet.class, random -> BitSet.valueOf(new long[] {1 + random.nextInt(5)}));
        leaves.put(Timestamp.class, ForeignValues::timestamp);
        leaves.put(Properties.class, ForeignValues::properties);
        leaves.put(AtomicIntegerArray.class, random -> new AtomicIntegerArray(new int[] {random.nextInt()}));
        leaves.put(MathContext.class, random -> new MathContext(random.nextInt(9), RoundingMode.DOWN));
        leaves.put(InetAddress.class, ForeignValues::address);
        leaves.put(Money.class, random -> new Money(random.nextInt(5)));
        leaves.put(Tree.class, random -> new Tree("a", random.nextInt(5)));
        leaves.put(Elements.class, random -> new Elements(random.nextInt(5)));
        leaves.put(NamedList.class, random -> new NamedList(random.nextInt(3)));
        leaves.put(Card.class, random -> new Card(random.nextInt(5), random.nextInt(3)));
        leaves.put(Cached.class, random -> new Cached(random.nextInt(5)));
        leaves.put(Multimap.class, random -> new Multimap(random.nextInt(5)));
        return leaves;
    }

    private static Timestamp timestamp(Random random) {
        Timestamp timestamp = new Timestamp(random.nextInt(5));
        timestamp.setNanos(random.nextInt(5));
        return timestamp;
    }

    private static Properties properties(Random random) {
        Properties defaults = new Properties();
        defaults.setProperty("a", "" + random.nextInt(3));
        Properties properties = random.nextInt(3) == 0 ? new Properties(defaults) : new Properties();
        properties.setProperty("b", "" + random.nextInt(3));
        return properties;
    }

    private static InetAddress address(Random random) {
        try {
            return InetAddress.getByAddress(
                    "host" + random.nextInt(2), new byte[] {10, 0, 0, (byte) random.nextInt(3)});
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A value class that shows only what is derived. */
    public static class Money {

        private final long cents;

        Money(long cents) {
            this.cents = cents;
        }

        public String getCurrency() {
            return cents < 0 ? "" : "EUR";
        }
    }

    /** A tree of JSON that is none for this mapper. */
    public static class Tree implements Iterable<Tree> {

        private final Map<String, Object> children = new LinkedHashMap<>();

        Tree(String name, Object child) {
            children.put(name, child);
        }

        public boolean isEmpty() {
            return children.isEmpty();
        }

        @Override
        public Iterator<Tree> iterator() {
            return List.<Tree>of().iterator();
        }
    }

    /** Elements that are written by being iterated over. */
    public static class Elements implements Iterable<Object> {

        private final List<Object> elements;

        Elements(Object element) {
            elements = List.of(element);
        }

        @Override
        public Iterator<Object> iterator() {
            return elements.iterator();
        }
    }

    /** A list with a member beside its elements. */
    public static class NamedList extends ArrayList<Integer> {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("UnusedVariable") // For reflection.
        private final String name;

        NamedList(int name) {
            this.name = name == 0 ? null : "name " + name;
            add(1);
        }
    }

    /** A request with a member that is for it alone, and one that the server sets. */
    public static class Card {

        @SuppressWarnings("UnusedVariable") // For reflection.
        @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
        private final int number;

        @JsonIgnore
        public final int risk;

        Card(int number, int risk) {
            this.number = number;
            this.risk = risk;
        }
    }

    /** A value with what it remembers of itself. */
    public static class Cached {

        public final int value;

        @SuppressWarnings("UnusedVariable") // For reflection.
        private transient Object remembered;

        Cached(int value) {
            this.value = value;
            this.remembered = value % 2 == 0 ? null : "odd";
        }
    }

    /** A collection that is none for Java and serializes itself. */
    public static class Multimap {

        private final transient Map<String, Object> entries;

        Multimap(Object value) {
            entries = Map.of("a", value);
        }

        public boolean isEmpty() {
            return entries.isEmpty();
        }
    }
}
