package io.idempotency.boot.web;

import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

/**
 * Marks the answer to a request that only replayed what its own key stands for; calls with other keys that it makes do not
 * count.
 */
final class IdempotentReplayedHeader implements IdempotencyListener {

    private static final Set<Outcome> REPLAYS = Set.of(Outcome.REPLAYED, Outcome.FAILURE_REPLAYED);

    private static final String NOT_ONLY_REPLAYED = IdempotentReplayedHeader.class.getName() + ".not-only-replayed";

    private final String name;

    IdempotentReplayedHeader(String name) {
        this.name = name;
    }

    @Override
    public void callCompleted(CallCompleted event) {
        Intent intent = event.intent();
        if (intent != null
                && RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                && intent.key().equals(KeyHeader.knownOf(attributes.getRequest()))) {
            mark(attributes, REPLAYS.contains(event.outcome()));
        }
    }

    private void mark(ServletRequestAttributes attributes, boolean replayed) {
        HttpServletRequest request = attributes.getRequest();
        HttpServletResponse response = attributes.getResponse();
        if (!replayed) {
            request.setAttribute(NOT_ONLY_REPLAYED, true);
        }
        if (response != null) {
            response.setHeader(name, request.getAttribute(NOT_ONLY_REPLAYED) == null ? "true" : null);
        }
    }
}
