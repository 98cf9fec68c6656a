package io.idempotency.boot.web;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

import io.idempotency.IdempotencyKey;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

/**
 * The warning about a handler method that takes the key of a request and behind which no call uses it. It is logged once a
 * handler, and a handler is no longer watched when one of its keys was used. A call on any thread counts, and one with a key that
 * contains that of the request.
 */
final class UnusedKeyWarning implements HandlerInterceptor, IdempotencyListener, UsedKeys {

    private static final Logger logger = LoggerFactory.getLogger(UnusedKeyWarning.class);

    private static final String WATCHED = UnusedKeyWarning.class.getName() + ".watched";

    private static final int FIRST_ERROR_STATUS = 400;

    private final BooleanSupplier isActive;

    private final Set<MethodClassKey> settled = ConcurrentHashMap.newKeySet();

    private final Set<Watched> watched = ConcurrentHashMap.newKeySet();

    UnusedKeyWarning(BooleanSupplier isActive) {
        this.isActive = isActive;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        IdempotencyKey key = KeyHeader.alreadyRead(request);
        if (key != null
                && handler instanceof HandlerMethod method
                && KeyHeaderParameters.ofRequest(request, method) != null
                && !settled.contains(keyOf(method))
                && request.getAttribute(WATCHED) == null
                && isActive.getAsBoolean()) {
            Watched added = new Watched(keyOf(method), key.value(), new Object());
            watched.add(added);
            request.setAttribute(WATCHED, added);
        }
        return true;
    }

    @Override
    public void callCompleted(CallCompleted event) {
        if (event.intent() != null) {
            used(event.intent().key().value());
        }
    }

    @Override
    public void used(String key) {
        for (Watched request : watched) {
            if (key.contains(request.key())) {
                settle(request.handler());
            }
        }
    }

    private boolean settle(MethodClassKey handler) {
        boolean isFirst = settled.add(handler);
        watched.removeIf(request -> request.handler().equals(handler));
        return isFirst;
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        if (handler instanceof HandlerMethod method
                && request.getAttribute(WATCHED) instanceof Watched own
                && watched.remove(own)
                && failure == null
                && response.getStatus() < FIRST_ERROR_STATUS
                && settle(own.handler())) {
            logger.warn(
                    "{} answered a request with the status {}, and no idempotent call used the key of its header: a repeat takes"
                            + " effect again. Pass the key to a method with @Idempotent or to IdempotencyOperations, or remove"
                            + " @IdempotencyKeyHeader.",
                    method.getShortLogMessage(),
                    response.getStatus());
        }
    }

    /** Without the bean, of which each request may have another. */
    private static MethodClassKey keyOf(HandlerMethod handler) {
        return new MethodClassKey(handler.getMethod(), handler.getBeanType());
    }

    /** A request that is being handled. Its identity distinguishes two with one key. */
    private record Watched(MethodClassKey handler, String key, Object identity) {}
}
