package io.idempotency.observation;

import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A wrapper that logs the exceptions of an observer, so that they do not fail the call or the delivery. */
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
        return safe(() -> observer.callStarted(scope));
    }

    @Override
    public Observed<MessageReceived> deliveryStarted(String consumer) {
        return safe(() -> observer.deliveryStarted(consumer));
    }

    private <E> Observed<E> safe(Supplier<Observed<E>> start) {
        Observed<E> observed;
        try {
            observed = start.get();
        } catch (Throwable failure) {
            report(failure);
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
                report(failure);
            }
        };
    }

    private void report(Throwable failure) {
        logger.warn("Call observer {} failed", observer.getClass().getName(), failure);
    }
}
