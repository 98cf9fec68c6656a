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
 */
public record StoredArguments(Map<String, String> json) {

    /**
     * Reads stored texts.
     *
     * @throws IllegalArgumentException if the texts are no pairs, or a name is there twice
     */
    public static StoredArguments of(List<String> texts) {
        Map<String, String> json = new LinkedHashMap<>();
        for (int i = 0; i < texts.size(); i += 2) {
            if (i + 1 == texts.size() || json.put(texts.get(i), texts.get(i + 1)) != null) {
                throw new IllegalArgumentException("its stored arguments are no pairs of a name and a value");
            }
        }
        return new StoredArguments(json);
    }

    /** {@return names and values in turn, as they are stored} */
    public List<String> texts() {
        List<String> texts = new ArrayList<>();
        json.forEach((name, value) -> texts.addAll(List.of(name, value)));
        return texts;
    }
}
