package io.idempotency.internal.operation;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import io.idempotency.InvalidIdempotentMethodException;

/** The rule against resumed handler methods: their payload has a part of the request, which a resumed call does not have. */
final class NoHandlerToResumeRule implements OperationRule {

    private static final String MAPPING = "org.springframework.web.bind.annotation.RequestMapping";

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        if (operation.storedArguments() != null
                && MergedAnnotations.from(operation.method(), SearchStrategy.TYPE_HIERARCHY)
                        .isPresent(MAPPING)) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " has resume = true and handles HTTP requests: method and"
                            + " path of the request are part of its payload, and a call that is resumed has no request.",
                    "Annotate a service method that the handler calls, or remove resume = true.");
        }
    }
}
