package io.idempotency.internal.response;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import io.idempotency.internal.fingerprint.MarkedSets;
import io.idempotency.internal.response.ReplayComparison.Difference;

/**
 * A comparison of stored JSON with the JSON of the value that was read from it, which shows what a lenient reader has changed: a
 * number that was narrowed, text that became a number, a list in another order. A member that is null is one that is absent. Members
 * that are only written, or only computed, do not count.
 */
enum ReadBackJson {

    /** Everything that is stored is read. */
    UNCHANGED,

    /** Members may be read no more, but not be renamed. SQL may have written a moment with another offset. */
    RESPONSE,

    /** Members may be others, and text may be read as what it means: the JSON was perhaps not made for the type. */
    FOREIGN;

    private static final JsonMapper TREES = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /**
     * Returns the first value that is lost or another one; null if there is none.
     *
     * @param written JSON of {@link ComparedMembers} and {@link MarkedSets}
     */
    @Nullable Difference differenceOf(String stored, String written) {
        return compare(TREES.readTree(stored), TREES.readTree(written));
    }

    private @Nullable Difference compare(JsonNode stored, JsonNode written) {
        if (isComputed(written) || stored.isNull()) {
            return null;
        }
        JsonNode set = written.get(MarkedSets.NAME);
        if (stored.isArray() && set != null) {
            return compareArrays(stored, set, true);
        }
        if (stored.isArray() && written.isArray()) {
            return compareArrays(stored, written, false);
        }
        if (stored.isObject() && written.isObject()) {
            useAliases((ObjectNode) written, stored);
            return compareObjects(stored, written);
        }
        return isSame(stored, written) ? null : new Difference("$", "which is another value");
    }

    private static boolean isComputed(JsonNode written) {
        return written.isString() && written.asString().equals(ComparedMembers.COMPUTED);
    }

    private boolean isSame(JsonNode stored, JsonNode written) {
        if (stored.isNumber() && written.isNumber()) {
            return stored.decimalValue().compareTo(written.decimalValue()) == 0;
        }
        if (stored.equals(written)) {
            return true;
        }
        if (this == UNCHANGED || !stored.isValueNode() || !written.isValueNode() || written.isNull()) {
            return false;
        }
        Object moment = momentOf(written.asString());
        if (stored.isString() && written.isString()) {
            Object before = momentOf(stored.asString());
            boolean isText = before == null && moment == null;
            return isText ? this == FOREIGN : Objects.equals(before, moment);
        }
        boolean meansTheSame = stored.asString().equals(written.asString()) || (stored.isNumber() && moment != null);
        return meansTheSame && this == FOREIGN;
    }

    private static @Nullable Object momentOf(String text) {
        if (text.length() < 5 || !Character.isDigit(text.charAt(0))) {
            return null;
        }
        try {
            return text.charAt(2) == ':'
                    ? LocalTime.parse(text)
                    : DateTimeFormatter.ISO_DATE_TIME.parseBest(text, Instant::from, LocalDateTime::from);
        } catch (DateTimeParseException other) {
            return null;
        }
    }

    private @Nullable Difference compareObjects(JsonNode stored, JsonNode written) {
        List<String> lost = absent(stored, written);
        lost.removeIf(name -> stored.get(name).isNull());
        List<String> added = absent(written, stored);
        added.removeIf(name -> isComputed(written.get(name)));
        if (!lost.isEmpty() && (this == UNCHANGED || (this == RESPONSE && !added.isEmpty()))) {
            return new Difference(
                    "$" + Difference.step(lost.get(0)),
                    "which the type does not know"
                            + (added.isEmpty()
                                    ? ""
                                    : ", while $" + Difference.step(added.get(0)) + " is not stored."
                                            + " If it was renamed, give it the old name as @JsonAlias"));
        }
        for (String name : stored.propertyNames()) {
            if (written.has(name)) {
                Difference difference = compare(stored.get(name), written.get(name));
                if (difference != null) {
                    return difference.within(Difference.step(name));
                }
            }
        }
        return null;
    }

    /** Gives members the names by which they were read. */
    private static void useAliases(ObjectNode written, JsonNode stored) {
        for (String copy : List.copyOf(written.propertyNames())) {
            if (copy.startsWith(ComparedMembers.ALIAS)) {
                String[] names = copy.substring(1).split(ComparedMembers.ALIAS, 2);
                JsonNode value = written.remove(copy);
                if (stored.has(names[0])) {
                    written.set(names[0], value);
                    written.remove(names[1]);
                }
            }
        }
    }

    /** Returns the names of the first object that the second one does not have. */
    private static List<String> absent(JsonNode first, JsonNode second) {
        List<String> names = new ArrayList<>(first.propertyNames());
        names.removeIf(second::has);
        return names;
    }

    private @Nullable Difference compareArrays(JsonNode stored, JsonNode written, boolean isSet) {
        if (stored.size() != written.size()) {
            return Difference.ofSizes(stored.size(), written.size());
        }
        if (this == FOREIGN && !isSet && UNCHANGED.compareArrays(stored, written, true) == null) {
            return UNCHANGED.compareArrays(stored, written, false);
        }
        List<JsonNode> others = new ArrayList<>(written.values());
        int index = 0;
        for (JsonNode element : stored) {
            Difference difference = takeSame(element, isSet ? others : others.subList(0, 1));
            if (difference != null) {
                return difference.within("[" + index + "]");
            }
            index++;
        }
        return null;
    }

    /** Removes the element that equals a stored one. */
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
