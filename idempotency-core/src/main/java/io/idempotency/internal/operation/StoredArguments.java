package io.idempotency.internal.operation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The arguments of a call as they are stored, to resume it: by the names of the parameters, because another version of the method
 * may have them in another order.
 *
 * @param json the JSON of each argument by the name of its parameter
 * @param contributions the parts of the payload that are no arguments
 */
public record StoredArguments(Map<String, String> json, List<String> contributions) {

    /** No name of a parameter. */
    private static final String CONTRIBUTION = "(request)";

    /**
     * Reads stored texts.
     *
     * @param texts names and values in turn
     * @return the arguments
     * @throws IllegalArgumentException if the texts are no pairs, or a name is there twice
     */
    public static StoredArguments of(List<String> texts) {
        Map<String, String> json = new LinkedHashMap<>();
        List<String> contributions = new ArrayList<>();
        if (texts.size() % 2 != 0) {
            throw new IllegalArgumentException("a stored argument has no name");
        }
        for (int i = 0; i < texts.size(); i += 2) {
            if (texts.get(i).equals(CONTRIBUTION)) {
                contributions.add(texts.get(i + 1));
            } else if (json.put(texts.get(i), texts.get(i + 1)) != null) {
                throw new IllegalArgumentException("two stored arguments have one name");
            }
        }
        return new StoredArguments(json, contributions);
    }

    /** {@return names and values in turn, as they are stored} */
    public List<String> texts() {
        List<String> texts = new ArrayList<>();
        json.forEach((name, value) -> texts.addAll(List.of(name, value)));
        contributions.forEach(contribution -> texts.addAll(List.of(CONTRIBUTION, contribution)));
        return texts;
    }
}
