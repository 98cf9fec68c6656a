package io.idempotency.boot.web;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

import io.idempotency.IdempotencyException;

/** The exception handlers of the application that name the exceptions of the library. */
final class ApplicationExceptionHandlers {

    private final ExceptionHandlerExceptionResolver resolver;

    private final ConcurrentHashMap<Class<?>, ExceptionHandlerMethodResolver> ofControllers = new ConcurrentHashMap<>();

    ApplicationExceptionHandlers(ExceptionHandlerExceptionResolver resolver) {
        this.resolver = resolver;
    }

    /**
     * Returns whether the first handler that matches names an exception type of the library. The order is that of
     * Spring MVC, the controller's handlers first.
     */
    boolean name(IdempotencyException exception, @Nullable Object handler) {
        Class<?> controller = handler instanceof HandlerMethod method ? method.getBeanType() : null;
        Stream<ExceptionHandlerMethodResolver> advices = resolver.getExceptionHandlerAdviceCache().entrySet().stream()
                .filter(advice -> advice.getKey().isApplicableToBeanType(controller))
                .map(Map.Entry::getValue);
        return Stream.concat(Stream.ofNullable(controller).map(this::ofController), advices)
                .flatMap(methods -> Stream.ofNullable(
                        methods.resolveExceptionMappingByExceptionType(exception.getClass(), MediaType.ALL)))
                .findFirst()
                .filter(matching -> names(matching, exception))
                .isPresent();
    }

    private ExceptionHandlerMethodResolver ofController(Class<?> controller) {
        return ofControllers.computeIfAbsent(controller, ExceptionHandlerMethodResolver::new);
    }

    private static boolean names(ExceptionHandlerMappingInfo handler, IdempotencyException exception) {
        return handler.getExceptionTypes().stream()
                .filter(IdempotencyException.class::isAssignableFrom)
                .anyMatch(type -> type.isInstance(exception));
    }
}
