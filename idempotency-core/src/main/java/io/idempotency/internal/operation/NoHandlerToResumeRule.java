package io.idempotency.internal.operation;

import java.util.List;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import io.idempotency.InvalidIdempotentMethodException;

/** The rule against resumed handler methods: their payload has a part of the request, which a resumed call does not have. */
final class NoHandlerToResumeRule implements OperationRule {

    private static final List<String> MAPPINGS = List.of(
            "org.springframework.web.bind.annotation.RequestMapping",
            "org.springframework.web.service.annotation.HttpExchange");

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        if (operation instanceof CallOperation call
                && call.storedArguments() != null
                && MAPPINGS.stream()
                        .anyMatch(
                                MergedAnnotations.from(operation.method(), SearchStrategy.TYPE_HIERARCHY)::isPresent)) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " has resume = true and handles HTTP requests: method and"
                            + " path of the request are part of its payload, and a call that is resumed has no request.",
                    "Annotate a service method that the handler calls, or remove resume = true.");
        }
    }
}
