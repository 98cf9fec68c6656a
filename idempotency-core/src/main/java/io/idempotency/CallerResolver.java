package io.idempotency;

/**
 * Tells who is calling, so that one caller never meets another's keys or responses. An application defines one bean of
 * this type, for example to return the tenant or the authenticated principal; without one all callers are the same.
 */
@FunctionalInterface
public interface CallerResolver {

    /**
     * The caller of the idempotent call that is about to start on this thread. Asked once for each call, before its
     * transaction and before anything is looked up.
     *
     * @return 0 to 128 printable characters; empty if there is no caller to tell apart
     */
    String resolveCaller();
}
