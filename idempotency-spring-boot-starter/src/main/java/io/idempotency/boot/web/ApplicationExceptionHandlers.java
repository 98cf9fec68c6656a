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

/** Finds out whether the application handles an exception of the library by its type, and not as any exception. */
final class ApplicationExceptionHandlers {

    private final ExceptionHandlerExceptionResolver resolver;

    private final ConcurrentHashMap<Class<?>, ExceptionHandlerMethodResolver> ofControllers = new ConcurrentHashMap<>();

    ApplicationExceptionHandlers(ExceptionHandlerExceptionResolver resolver) {
        this.resolver = resolver;
    }

    /**
     * Asks the handlers in the order of Spring MVC, the controller's first: the first that matches handles the
     * exception.
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
                .filter(answering -> names(answering, exception))
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
