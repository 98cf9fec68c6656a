package io.idempotency.proof;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.FailureTranslator;
import io.idempotency.RecordedFailureException;

/** Shows an answer as its members, so that those that are random can be told from the others. */
final class Answers {

    private final JsonMapper mapper;

    private final FailureTranslator failures;

    Answers(ApplicationContext context) {
        JsonMapper ofApplication = context.getBeanProvider(JsonMapper.class).getIfAvailable(JsonMapper::new);
        this.mapper = ClassUtils.isPresent("org.springframework.http.HttpHeaders", null)
                ? ReplayedHeaders.addTo(
                        ofApplication,
                        Binder.get(context.getEnvironment())
                                .bind("idempotency.http.replay-headers", Bindable.listOf(String.class))
                                .orElse(List.of()))
                : ofApplication;
        this.failures =
                context.getBeanProvider(FailureTranslator.class).getIfAvailable(() -> new FailureTranslator() {});
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
        return members;
    }

    /** Returns a failure that was recorded as final, because a repeat gets it too, or {@code null} if a repeat runs again. */
    @Nullable Map<String, String> refusal(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (ObservedCalls.INSTANCE.isFinal(each)) {
                return Map.of(
                        "failed finally",
                        each instanceof RecordedFailureException recorded ? recorded.code() : failures.codeOf(each));
            }
        }
        return null;
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
