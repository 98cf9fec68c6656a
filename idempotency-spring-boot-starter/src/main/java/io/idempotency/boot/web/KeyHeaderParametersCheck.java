package io.idempotency.boot.web;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodParameter;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import io.idempotency.IdempotencyStartupException;

/** Says at start-up which parameters cannot take a key, instead of failing their first request. */
final class KeyHeaderParametersCheck implements SmartInitializingSingleton {

    private final ObjectProvider<RequestMappingHandlerMapping> mappings;

    KeyHeaderParametersCheck(ObjectProvider<RequestMappingHandlerMapping> mappings) {
        this.mappings = mappings;
    }

    @Override
    public void afterSingletonsInstantiated() {
        mappings.forEach(mapping -> mapping.getHandlerMethods().values().forEach(KeyHeaderParametersCheck::check));
    }

    private static void check(HandlerMethod handler) {
        List<MethodParameter> parameters = KeyHeaderParameters.all(handler).toList();
        if (parameters.size() > 1) {
            throw new IdempotencyStartupException(
                    handler.getShortLogMessage() + " has " + parameters.size()
                            + " parameters with @IdempotencyKeyHeader, but a request has one key.",
                    "Remove the annotation from all of them but one.");
        }
        parameters.forEach(parameter -> requirePossibleType(handler, parameter));
    }

    private static void requirePossibleType(HandlerMethod handler, MethodParameter parameter) {
        if (!KeyHeaderParameters.hasPossibleType(parameter)) {
            throw new IdempotencyStartupException(
                    "The parameter " + parameter.getParameterIndex() + " of " + handler.getShortLogMessage()
                            + " has @IdempotencyKeyHeader and the type "
                            + parameter.getParameterType().getName() + ".",
                    "Declare it as a String or as an IdempotencyKey.");
        }
    }
}
