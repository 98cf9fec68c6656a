package io.idempotency.internal.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random trees of maps, lists and leaves, and the changes of them that do or do not matter to a fingerprint. */
final class RandomJson {

    private static final int MAX_DEPTH = 5;

    private static final String CHARACTERS = "abcXYZ 01\"\\/\n\t\u0000\u007f\u00e4\u20ac\ufb33\ud83d\ude00\ud800\udc00";

    private final Random random;

    RandomJson(long seed) {
        this.random = new Random(seed);
    }

    Object tree() {
        return tree(0);
    }

    private Object tree(int depth) {
        int kind = random.nextInt(depth == MAX_DEPTH ? 6 : 10);
        return switch (kind) {
            case 0 -> random.nextBoolean();
            case 1 -> random.nextLong();
            case 2 -> new BigDecimal(new BigInteger(random.nextInt(1, 200), random), random.nextInt(-50, 50));
            case 3 -> new BigInteger(random.nextInt(1, 300), random).negate();
            case 4, 5 -> text();
            case 6, 7 -> list(depth);
            default -> map(depth);
        };
    }

    private List<Object> list(int depth) {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            list.add(random.nextInt(10) == 0 ? null : tree(depth + 1));
        }
        return list;
    }

    private Map<String, Object> map(int depth) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            map.put(text(), tree(depth + 1));
        }
        return map;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return text.toString();
    }

    /** The same members in another order, with members that are null among them, and decimals of another scale. */
    Object sameMeaning(Object tree) {
        if (tree instanceof Map<?, ?> map) {
            Map<String, Object> changed = new LinkedHashMap<>();
            for (Object name : shuffled(map.keySet())) {
                addNulls(changed, map);
                changed.put((String) name, sameMeaning(map.get(name)));
            }
            addNulls(changed, map);
            return changed;
        }
        if (tree instanceof List<?> list) {
            List<Object> changed = new ArrayList<>();
            list.forEach(element -> changed.add(sameMeaning(element)));
            return changed;
        }
        if (tree instanceof BigDecimal decimal) {
            return decimal.setScale(decimal.scale() + random.nextInt(3));
        }
        return tree;
    }

    private List<Object> shuffled(Iterable<?> elements) {
        List<Object> shuffled = new ArrayList<>();
        elements.forEach(shuffled::add);
        Collections.shuffle(shuffled, random);
        return shuffled;
    }

    private void addNulls(Map<String, Object> changed, Map<?, ?> original) {
        String name = "null-" + text();
        if (random.nextInt(3) == 0 && !original.containsKey(name)) {
            changed.put(name, null);
        }
    }

    /** How many places {@link #otherMeaning} can change: leaves, and empty lists and maps. */
    int leaves(Object tree) {
        if (tree instanceof Map<?, ?> map && !map.isEmpty()) {
            return map.values().stream().mapToInt(this::leaves).sum();
        }
        if (tree instanceof List<?> list && !list.isEmpty()) {
            return list.stream().mapToInt(this::leaves).sum();
        }
        return 1;
    }

    /** The tree with the leaf of that number changed. */
    Object otherMeaning(Object tree, int leaf) {
        if (tree instanceof Map<?, ?> map && !map.isEmpty()) {
            Map<String, Object> changed = new LinkedHashMap<>();
            int first = 0;
            for (Map.Entry<?, ?> member : map.entrySet()) {
                int next = first + leaves(member.getValue());
                changed.put(
                        (String) member.getKey(),
                        leaf >= first && leaf < next
                                ? otherMeaning(member.getValue(), leaf - first)
                                : member.getValue());
                first = next;
            }
            return changed;
        }
        if (tree instanceof List<?> list && !list.isEmpty()) {
            List<Object> changed = new ArrayList<>();
            int first = 0;
            for (Object element : list) {
                int next = first + leaves(element);
                changed.add(leaf >= first && leaf < next ? otherMeaning(element, leaf - first) : element);
                first = next;
            }
            return changed;
        }
        return otherLeaf(tree);
    }

    private Object otherLeaf(Object leaf) {
        if (leaf instanceof Boolean flag) {
            return !flag;
        }
        if (leaf instanceof Long number) {
            return number + 1;
        }
        if (leaf instanceof BigInteger number) {
            return number.add(BigInteger.ONE);
        }
        if (leaf instanceof BigDecimal number) {
            return number.add(number.ulp());
        }
        return leaf instanceof String text
                ? text + CHARACTERS.charAt(random.nextInt(CHARACTERS.length()))
                : "was empty";
    }
}
