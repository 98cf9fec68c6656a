package io.idempotency.boot.web;

import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

/**
 * The header that marks the response to a request if all calls with the key of the request were replays. Calls with
 * other keys do not count.
 */
final class IdempotentReplayedHeader implements IdempotencyListener, HandlerExceptionResolver, Ordered {

    private static final Set<Outcome> REPLAYS = Set.of(Outcome.REPLAYED, Outcome.FAILURE_REPLAYED);

    private static final String NOT_ONLY_REPLAYED = IdempotentReplayedHeader.class.getName() + ".not-only-replayed";

    private static final String REPLAYED_FAILURE = IdempotentReplayedHeader.class.getName() + ".replayed-failure";

    private final String name;

    IdempotentReplayedHeader(String name) {
        this.name = name;
    }

    @Override
    public void callCompleted(CallCompleted event) {
        Intent intent = event.intent();
        if (intent != null
                && RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                && intent.key().equals(KeyHeader.alreadyRead(attributes.getRequest()))) {
            attributes.getRequest().setAttribute(REPLAYED_FAILURE, event.failure());
            mark(attributes, REPLAYS.contains(event.outcome()));
        }
    }

    private void mark(ServletRequestAttributes attributes, boolean replayed) {
        HttpServletRequest request = attributes.getRequest();
        HttpServletResponse response = attributes.getResponse();
        if (!replayed) {
            request.setAttribute(NOT_ONLY_REPLAYED, true);
        }
        if (response != null && request.getAttribute(NOT_ONLY_REPLAYED) == null) {
            response.setHeader(name, "true");
        } else if (response != null) {
            remove(response);
        }
    }

    /** Removes the header if the error is not the replayed failure: it happened after the replay. */
    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        if (!isOrIsCausedBy(failure, request.getAttribute(REPLAYED_FAILURE))) {
            remove(response);
        }
        return null;
    }

    private static boolean isOrIsCausedBy(Throwable failure, @Nullable Object replayed) {
        return replayed instanceof Throwable
                && (failure == replayed
                        || (failure.getCause() != null && isOrIsCausedBy(failure.getCause(), replayed)));
    }

    private void remove(HttpServletResponse response) {
        if (response.containsHeader(name)) {
            response.setHeader(name, null);
        }
    }

    /** Called before any resolver that answers. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
