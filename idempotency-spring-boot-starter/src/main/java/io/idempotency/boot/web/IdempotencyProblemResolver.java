package io.idempotency.boot.web;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.MethodParameter;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

import io.idempotency.IdempotencyException;

/**
 * The resolver that answers refused calls with problem details, before the application's general exception handlers. If
 * the application has a handler of the exception's type or of its base class in the library, that handler answers.
 */
final class IdempotencyProblemResolver implements HandlerExceptionResolver {

    private static final Logger logger = LoggerFactory.getLogger(IdempotencyProblemResolver.class);

    private static final Method ANSWER = Objects.requireNonNull(ReflectionUtils.findMethod(
            IdempotencyProblems.class, "answer", IdempotencyException.class, HttpServletRequest.class));

    private final IdempotencyProblems problems;

    private final ApplicationExceptionHandlers applicationHandlers;

    private final ExceptionHandlerExceptionResolver resolver;

    /**
     * Creates the resolver.
     *
     * @param resolver the application's, which has its handlers and its message converters
     */
    IdempotencyProblemResolver(IdempotencyProblems problems, ExceptionHandlerExceptionResolver resolver) {
        this.problems = problems;
        this.applicationHandlers = new ApplicationExceptionHandlers(resolver);
        this.resolver = resolver;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        if (!(carriedBy(failure) instanceof IdempotencyException refusal)) {
            return null;
        }
        if (applicationHandlers.name(refusal, handler)) {
            ModelAndView byApplication = resolver.resolveException(request, response, handler, refusal);
            if (byApplication != null) {
                return byApplication;
            }
        }
        try {
            return answer(request, response, problems.answer(refusal, request));
        } catch (Exception notWritten) {
            logger.warn("The problem of a refused call could not be written", notWritten);
            return null;
        }
    }

    /** Looks into what a future throws if a handler waits for a call on another thread. */
    private static @Nullable Throwable carriedBy(Exception failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException
                ? failure.getCause()
                : failure;
    }

    private ModelAndView answer(HttpServletRequest request, HttpServletResponse response, ResponseEntity<?> problem)
            throws Exception {
        ModelAndViewContainer handled = new ModelAndViewContainer();
        Objects.requireNonNull(resolver.getReturnValueHandlers())
                .handleReturnValue(
                        problem, new MethodParameter(ANSWER, -1), handled, new ServletWebRequest(request, response));
        return new ModelAndView();
    }
}
