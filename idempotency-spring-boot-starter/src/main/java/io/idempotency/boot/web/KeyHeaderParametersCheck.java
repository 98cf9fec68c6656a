package io.idempotency.boot.web;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.interceptor.IdempotentBeanVerifier;
import io.idempotency.internal.interceptor.StartupChecks;
import io.idempotency.internal.operation.OperationKind;

/** The check at start-up that refuses parameters that cannot take a key. */
final class KeyHeaderParametersCheck implements StartupChecks, SmartInitializingSingleton {

    private final ObjectProvider<RequestMappingHandlerMapping> mappings;

    private final ObjectProvider<RequestMappingHandlerAdapter> adapters;

    private final ObjectProvider<OperationKind> kinds;

    private final ObjectProvider<IdempotentBeanVerifier> verifier;

    KeyHeaderParametersCheck(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<RequestMappingHandlerAdapter> adapters,
            ObjectProvider<OperationKind> kinds,
            ObjectProvider<IdempotentBeanVerifier> verifier) {
        this.mappings = mappings;
        this.adapters = adapters;
        this.kinds = kinds;
        this.verifier = verifier;
    }

    /** Makes the checks if the library is switched off, so that the verifier does not make them. */
    @Override
    public void afterSingletonsInstantiated() {
        if (verifier.getIfAvailable() == null) {
            checks().forEach(Runnable::run);
        }
    }

    @Override
    public Stream<Runnable> checks() {
        return mappings.stream()
                .flatMap(mapping -> mapping.getHandlerMethods().entrySet().stream())
                .map(handler -> () -> check(
                        handler.getValue(),
                        handler.getKey().getMethodsCondition().getMethods()));
    }

    private void check(HandlerMethod handler, Set<RequestMethod> methods) {
        List<MethodParameter> parameters = KeyHeaderParameters.all(handler).toList();
        if (!parameters.isEmpty()) {
            requireResolver(handler);
        }
        if (parameters.size() > 1) {
            throw new IdempotencyStartupException(
                    handler.getShortLogMessage() + " has " + parameters.size()
                            + " parameters with @IdempotencyKeyHeader, but a request has one key.",
                    "Remove the annotation from all of them but one.");
        }
        parameters.forEach(parameter -> requireSupportedType(handler, parameter));
        if (!parameters.isEmpty() && isIdempotent(handler)) {
            requireKey(handler, parameters.get(0), methods);
        }
    }

    /** Requires the resolver, without which Spring MVC would take an unchecked key from the query. */
    private void requireResolver(HandlerMethod handler) {
        boolean isConfigured = adapters.stream()
                .filter(adapter -> adapter.supports(handler))
                .allMatch(
                        adapter -> resolversOf(adapter).stream().anyMatch(KeyHeaderArgumentResolver.class::isInstance));
        if (!isConfigured) {
            throw new IdempotencyStartupException(
                    handler.getShortLogMessage() + " has a parameter with @IdempotencyKeyHeader, but the Spring MVC"
                            + " configuration of the application leaves out the WebMvcConfigurers that read the header.",
                    "Implement WebMvcConfigurer instead of extending WebMvcConfigurationSupport; if it must be extended,"
                            + " extend DelegatingWebMvcConfiguration.");
        }
    }

    private static List<HandlerMethodArgumentResolver> resolversOf(RequestMappingHandlerAdapter adapter) {
        List<HandlerMethodArgumentResolver> resolvers = adapter.getArgumentResolvers();
        return resolvers == null ? List.of() : resolvers;
    }

    private static void requireSupportedType(HandlerMethod handler, MethodParameter parameter) {
        if (!KeyHeaderParameters.hasSupportedType(parameter)) {
            throw new IdempotencyStartupException(
                    "The parameter " + parameter.getParameterIndex() + " of " + handler.getShortLogMessage()
                            + " has @IdempotencyKeyHeader and the type "
                            + parameter.getParameterType().getName() + ".",
                    "Declare it as a String or as an IdempotencyKey.");
        }
    }

    private boolean isIdempotent(HandlerMethod handler) {
        return kinds.stream().anyMatch(kind -> handler.hasMethodAnnotation(kind.annotation()));
    }

    private static void requireKey(HandlerMethod handler, MethodParameter parameter, Set<RequestMethod> methods) {
        if (!KeyHeaderParameters.isRequired(parameter)) {
            throw new IdempotencyStartupException(
                    handler.getShortLogMessage() + " has @IdempotencyKeyHeader(required = false), but is itself an"
                            + " idempotent method, which refuses a call without a key.",
                    "Remove required = false; or let the handler call an idempotent method of another bean if there is a"
                            + " key, and do without it if there is none.");
        }
        if (!methods.isEmpty() && methods.stream().allMatch(method -> KeyHeader.isIgnoredFor(method.name()))) {
            throw new IdempotencyStartupException(
                    handler.getShortLogMessage()
                            + " is an idempotent method with @IdempotencyKeyHeader, but handles only"
                            + " requests of the method "
                            + methods.stream().map(Enum::name).collect(Collectors.joining(", "))
                            + ", which have no key: each would be refused.",
                    "Map a method that changes something to POST, PUT, PATCH or DELETE; or remove the two annotations.");
        }
    }
}
