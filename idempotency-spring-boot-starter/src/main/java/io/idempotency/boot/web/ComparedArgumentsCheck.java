package io.idempotency.boot.web;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import io.idempotency.internal.operation.ArgumentExpression;
import io.idempotency.internal.operation.AttemptArguments;
import io.idempotency.internal.operation.CallOperation;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;

/** The check at start-up that names arguments of idempotent handler methods that their fingerprints leave out. */
final class ComparedArgumentsCheck implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(ComparedArgumentsCheck.class);

    private static final Set<Class<? extends Annotation>> OF_REQUEST =
            Set.of(RequestBody.class, RequestHeader.class, RequestParam.class, RequestPart.class);

    private final ObjectProvider<RequestMappingHandlerMapping> mappings;

    private final ObjectProvider<IdempotentOperationSource> operations;

    ComparedArgumentsCheck(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<IdempotentOperationSource> operations) {
        this.mappings = mappings;
        this.operations = operations;
    }

    @Override
    public void afterSingletonsInstantiated() {
        operations.ifAvailable(source -> mappings.stream()
                .flatMap(mapping -> mapping.getHandlerMethods().values().stream())
                .distinct()
                .forEach(handler -> check(handler, source)));
    }

    private static void check(HandlerMethod handler, IdempotentOperationSource source) {
        IdempotentOperation operation = source.findOperation(handler.getMethod(), handler.getBeanType());
        if (!(operation instanceof CallOperation call) || call.fingerprintExpression() == null) {
            return;
        }
        ArgumentExpression fingerprint = call.fingerprintExpression();
        Set<Integer> named = fingerprint.namedArguments();
        Set<Integer> ofKey = call.keyExpression().namedArguments();
        List<MethodParameter> leftOut = Arrays.stream(handler.getMethodParameters())
                .filter(parameter -> !named.contains(parameter.getParameterIndex()))
                .filter(ComparedArgumentsCheck::isOfRequest)
                .filter(parameter -> !AttemptArguments.include(parameter))
                // A text is in the key as it is, but of a body the key has only a part.
                .filter(parameter -> !ofKey.contains(parameter.getParameterIndex()) || isBody(parameter))
                .toList();
        if (!leftOut.isEmpty()) {
            logger.warn(
                    "The {} leaves out {}. A repeat in which they differ gets the first response, unless they are in the query"
                            + " string, which is compared like method and path. Name them in fingerprint, as in"
                            + " \"{#order, #currency}\", if another value is another request.",
                    fingerprint,
                    leftOut.stream().map(ComparedArgumentsCheck::describe).collect(Collectors.joining(" and ")));
        }
    }

    private static boolean isOfRequest(MethodParameter parameter) {
        return OF_REQUEST.stream().anyMatch(parameter::hasParameterAnnotation);
    }

    private static boolean isBody(MethodParameter parameter) {
        return parameter.hasParameterAnnotation(RequestBody.class)
                || parameter.hasParameterAnnotation(RequestPart.class);
    }

    private static String describe(MethodParameter parameter) {
        return OF_REQUEST.stream()
                .filter(parameter::hasParameterAnnotation)
                .map(type -> "@" + type.getSimpleName() + " "
                        + (parameter.getParameterName() == null
                                ? "parameter " + parameter.getParameterIndex()
                                : parameter.getParameterName()))
                .findFirst()
                .orElseThrow();
    }
}
