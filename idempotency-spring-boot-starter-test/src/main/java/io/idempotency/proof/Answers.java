package io.idempotency.proof;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Shows an answer as its members, so that those that are random can be told from the others. */
final class Answers {

    private final JsonMapper mapper;

    Answers(ApplicationContext context) {
        this.mapper = context.getBeanProvider(JsonMapper.class).getIfAvailable(JsonMapper::new);
    }

    Map<String, String> members(@Nullable Object answer) {
        Map<String, String> members = new TreeMap<>();
        try {
            add(members, "", mapper.valueToTree(answer));
        } catch (JacksonException | StackOverflowError notJson) {
            throw new IllegalStateException(
                    "The answer cannot be compared, because it cannot be written as JSON: let the scenario return something"
                            + " else",
                    notJson);
        }
        // Of a ResponseEntity.
        members.keySet().removeIf(member -> member.toLowerCase(Locale.ROOT).startsWith("/headers/date/"));
        return members;
    }

    private static void add(Map<String, String> members, String path, JsonNode node) {
        if (node.isObject()) {
            node.properties().forEach(member -> add(members, path + "/" + member.getKey(), member.getValue()));
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                add(members, path + "/" + i, node.get(i));
            }
        } else {
            members.put(path, node.toString());
        }
    }
}
