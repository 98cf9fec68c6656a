package io.idempotency.execution;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;
import org.springframework.transaction.TransactionStatus;

import io.idempotency.BrokenInterceptorChainException;
import io.idempotency.TransactionFailedException;

/**
 * The link between the boundary of a call and its claim, which run on the same thread with the transaction between
 * them.
 */
final class RunningCall {

    private static final ThreadLocal<@Nullable RunningCall> INNERMOST = new NamedThreadLocal<>("idempotent call");

    private final Object site;

    private final IdempotentCall call;

    private final CallReport report;

    private final @Nullable RunningCall outer;

    private final @Nullable TransactionStatus surroundingTransaction;

    private boolean claimReached;

    private RunningCall(Object site, IdempotentCall call, CallReport report, @Nullable RunningCall outer) {
        this.site = site;
        this.call = call;
        this.report = report;
        this.outer = outer;
        this.surroundingTransaction = InterceptedTransaction.current();
    }

    /** Binds a call to this thread; {@link #leave()} must follow. */
    static RunningCall enter(Object site, IdempotentCall call, CallReport report) {
        RunningCall running = new RunningCall(site, call, report, INNERMOST.get());
        INNERMOST.set(running);
        return running;
    }

    /** The call that a claim belongs to. */
    static RunningCall claiming(Object site, String description) {
        RunningCall running = INNERMOST.get();
        if (running == null || !running.site.equals(site)) {
            throw new BrokenInterceptorChainException(
                    null,
                    "The claim of " + description + " was reached on a thread that did not come through its boundary:"
                            + " an interceptor between the two changed the thread, or the object was advised twice."
                            + " Move that interceptor outside of the transaction");
        }
        running.claimReached = true;
        return running;
    }

    void leave() {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }

    /** Nothing that the caller is told may be untrue, whatever other interceptors made of it. */
    void requireAcknowledgeable() {
        if (!claimReached) {
            throw new BrokenInterceptorChainException(
                    call.intent(),
                    "The call for the " + call.intent() + " returned without its claim having been reached: an"
                            + " interceptor between the transaction and the method answered in its place. Move that"
                            + " interceptor outside of the transaction, or remove it from this method");
        }
        if (!report.isAcknowledgeable()) {
            throw new TransactionFailedException(
                    call.intent(),
                    "its transaction was rolled back: an interceptor between the transaction and the method swallowed an"
                            + " exception or marked the transaction rollback-only. Move that interceptor outside of the"
                            + " transaction");
        }
    }

    IdempotentCall call() {
        return call;
    }

    CallReport report() {
        return report;
    }

    /** The transaction that the method itself declares; {@code null} if it declares none. */
    @Nullable TransactionStatus declaredTransaction() {
        TransactionStatus current = InterceptedTransaction.current();
        return current != null && current != surroundingTransaction && current.hasTransaction() ? current : null;
    }
}
