package io.idempotency.observation;

import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A wrapper that logs the exceptions of an observer, so that they do not fail the call. */
public final class SafeCallObserver implements CallObserver {

    private static final Logger logger = LoggerFactory.getLogger(SafeCallObserver.class);

    private final CallObserver observer;

    private SafeCallObserver(CallObserver observer) {
        this.observer = observer;
    }

    /**
     * Wraps an observer.
     *
     * @param observer an observer that may throw
     * @return an observer that throws nothing
     */
    public static CallObserver of(CallObserver observer) {
        return observer == NONE ? NONE : new SafeCallObserver(observer);
    }

    @Override
    public Observed<CallCompleted> callStarted(String scope) {
        return started(observer, () -> observer.callStarted(scope));
    }

    /**
     * Notifies an observer of a start, and logs what it throws then and at the end.
     *
     * @param <E> type of the event at the end
     * @param observer the observer, which the log names
     * @param start notifies the observer
     * @return an observer of the end that throws nothing
     */
    public static <E> Observed<E> started(Object observer, Supplier<Observed<E>> start) {
        Observed<E> observed;
        try {
            observed = start.get();
        } catch (Throwable failure) {
            report(observer, failure);
            return Observed.noOp();
        }
        if (observed == Observed.<E>noOp()) {
            return observed;
        }
        return event -> {
            try {
                observed.ended(event);
            } catch (Throwable failure) {
                // Errors too: the call has ended and must not fail because of an observer.
                report(observer, failure);
            }
        };
    }

    private static void report(Object observer, Throwable failure) {
        logger.warn("Call observer {} failed", observer.getClass().getName(), failure);
    }
}
