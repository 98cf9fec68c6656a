package io.idempotency.boot.security;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.Intent;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

/**
 * Warns, once for each scope, of calls with a caller beside calls without one. Probably the latter are on threads that do not
 * have the security context of their request, so that all users share the keys of these calls.
 */
final class MixedCallersWarning implements IdempotencyListener {

    private static final Logger logger = LoggerFactory.getLogger(MixedCallersWarning.class);

    /** More scopes are not watched. Only an application that makes their names at run time has as many. */
    private static final int MOST_SCOPES = 10_000;

    private final Map<String, FirstCall> firstCalls = new ConcurrentHashMap<>();

    @Override
    public void callCompleted(CallCompleted event) {
        Intent intent = event.intent();
        if (intent == null) {
            return;
        }
        boolean hasCaller = !intent.caller().isEmpty();
        FirstCall first = firstCalls.get(event.scope());
        if (first != null) {
            if (first.hasCaller != hasCaller) {
                warnOnce(event.scope(), first);
            }
        } else if (firstCalls.size() < MOST_SCOPES) {
            firstCalls.putIfAbsent(
                    event.scope(),
                    new FirstCall(hasCaller, Thread.currentThread().getName(), new AtomicBoolean()));
        }
    }

    private static void warnOnce(String scope, FirstCall first) {
        // Read first, because a write would take the line of memory from the other processors in each call.
        if (first.isWarnedOf.get() || !first.isWarnedOf.compareAndSet(false, true)) {
            return;
        }
        String thread = Thread.currentThread().getName();
        logger.warn(
                "Calls in scope '{}' have a caller on the thread '{}' and none on the thread '{}', so that all users share the"
                        + " keys of the latter: one gets the response of another. Hand the security context on to that thread"
                        + " with a DelegatingSecurityContextExecutor, name the caller with IdempotencyOperations, or refuse"
                        + " such calls with idempotency.http.require-caller. If these calls are nobody's, set"
                        + " logging.level.{}=error",
                scope,
                first.hasCaller ? first.thread : thread,
                first.hasCaller ? thread : first.thread,
                MixedCallersWarning.class.getName());
    }

    /**
     * The first call of a scope.
     *
     * @param isWarnedOf whether a call of the other kind followed
     */
    private record FirstCall(boolean hasCaller, String thread, AtomicBoolean isWarnedOf) {}
}
