package io.idempotency.internal.response;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.internal.response.ReplayComparison.Difference;

/**
 * A comparison of stored JSON with the JSON of the value that was read from it, which shows what the value has lost. A member that is
 * null is one that is absent. Arrays may be sets, so that their order does not count.
 */
final class ReadBackJson {

    private static final JsonMapper TREES = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final boolean onlyRenamed;

    private final Set<String> computed;

    private ReadBackJson(boolean onlyRenamed, Set<String> computed) {
        this.onlyRenamed = onlyRenamed;
        this.computed = computed;
    }

    /**
     * Returns the first object that has lost a member, and has got one with another value that is not stored, as if the member was
     * renamed; null if there is none.
     */
    static @Nullable Difference renamedIn(String stored, String written) {
        return new ReadBackJson(true, Set.of()).compare(TREES.readTree(stored), TREES.readTree(written));
    }

    /**
     * Returns the first value that is lost or another one; null if there is none. Members that are added do not count.
     *
     * @param computed names of members that are written, but not read
     */
    static @Nullable Difference lostIn(String stored, String written, Set<String> computed) {
        return new ReadBackJson(false, computed).compare(TREES.readTree(stored), TREES.readTree(written));
    }

    private @Nullable Difference compare(JsonNode stored, JsonNode written) {
        if (stored.isObject() && written.isObject()) {
            return compareObjects(stored, written);
        }
        if (stored.isArray() && written.isArray()) {
            return compareArrays(stored, written);
        }
        boolean isKept = onlyRenamed || stored.isNull() || isSame(stored, written);
        return isKept ? null : new Difference("$", "which is another value");
    }

    private static boolean isSame(JsonNode stored, JsonNode written) {
        if (stored.isNumber() && written.isNumber()) {
            return stored.decimalValue().compareTo(written.decimalValue()) == 0;
        }
        return stored.equals(written);
    }

    private @Nullable Difference compareObjects(JsonNode stored, JsonNode written) {
        List<String> lost = absent(stored, written);
        lost.removeIf(name -> stored.get(name).isNull());
        List<String> added = absent(written, stored);
        // An alias reads a member under another name.
        lost.removeIf(name -> added.removeIf(
                other -> new ReadBackJson(false, computed).compare(stored.get(name), written.get(other)) == null));
        if (!lost.isEmpty() && !(onlyRenamed && added.isEmpty())) {
            return new Difference(
                    "$" + Difference.step(lost.get(0)),
                    "which the type does not know"
                            + (added.isEmpty()
                                    ? ""
                                    : ", while $" + Difference.step(added.get(0)) + " is not stored."
                                            + " If it was renamed, give it the old name as @JsonAlias"));
        }
        for (String name : stored.propertyNames()) {
            if (written.has(name) && !computed.contains(name)) {
                Difference difference = compare(stored.get(name), written.get(name));
                if (difference != null) {
                    return difference.within(Difference.step(name));
                }
            }
        }
        return null;
    }

    /** Returns the names of the first object that the second one does not have. */
    private static List<String> absent(JsonNode first, JsonNode second) {
        List<String> names = new ArrayList<>(first.propertyNames());
        names.removeIf(second::has);
        return names;
    }

    private @Nullable Difference compareArrays(JsonNode stored, JsonNode written) {
        if (stored.size() != written.size()) {
            return onlyRenamed ? null : Difference.ofSizes(stored.size(), written.size());
        }
        List<JsonNode> others = new ArrayList<>(written.values());
        int index = 0;
        for (JsonNode element : stored) {
            Difference difference = takeSame(element, others);
            if (difference != null) {
                return difference.within("[" + index + "]");
            }
            index++;
        }
        return null;
    }

    /** Removes the element that equals a stored one. It is the first one, unless the elements belong to a set. */
    private @Nullable Difference takeSame(JsonNode stored, Collection<JsonNode> others) {
        Difference first = null;
        for (JsonNode other : others) {
            Difference difference = compare(stored, other);
            if (difference == null) {
                others.remove(other);
                return null;
            }
            first = first == null ? difference : first;
        }
        return first;
    }
}
