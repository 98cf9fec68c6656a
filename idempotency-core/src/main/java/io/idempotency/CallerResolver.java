package io.idempotency;

/**
 * A resolver of the caller, so that one caller never gets another's keys or responses. An application defines one bean
 * of this type, for example to return the tenant or the authenticated principal. Without one, all callers are the same.
 */
@FunctionalInterface
public interface CallerResolver {

    /**
     * Returns the caller of the idempotent call that is about to start on this thread. Called once for each call,
     * before its transaction and before any query. If it returns another result, the call fails with an
     * {@link IllegalStateException}, and its method does not run. May throw {@link MissingCallerException}, which refuses the call.
     *
     * @return 0 to 128 printable characters; empty if callers are not told apart
     */
    String resolveCaller();
}
