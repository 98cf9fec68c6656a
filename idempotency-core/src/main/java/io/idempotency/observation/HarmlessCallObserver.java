package io.idempotency.observation;

import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands calls and deliveries to an observer whose failures must not become theirs. */
public final class HarmlessCallObserver implements CallObserver {

    private static final Logger logger = LoggerFactory.getLogger(HarmlessCallObserver.class);

    private final CallObserver observer;

    private HarmlessCallObserver(CallObserver observer) {
        this.observer = observer;
    }

    /**
     * Makes an observer harmless.
     *
     * @param observer who observes
     * @return throws nothing
     */
    public static CallObserver of(CallObserver observer) {
        return observer == NONE ? NONE : new HarmlessCallObserver(observer);
    }

    @Override
    public Observed<CallCompleted> callStarted(String scope) {
        return harmless(() -> observer.callStarted(scope));
    }

    @Override
    public Observed<MessageReceived> deliveryStarted(String consumer) {
        return harmless(() -> observer.deliveryStarted(consumer));
    }

    private <E> Observed<E> harmless(Supplier<Observed<E>> start) {
        Observed<E> observed;
        try {
            observed = start.get();
        } catch (Throwable failure) {
            report(failure);
            return Observed.ignoring();
        }
        if (observed == Observed.<E>ignoring()) {
            return observed;
        }
        return event -> {
            try {
                observed.ended(event);
            } catch (Throwable failure) {
                // Errors too: the call is over, and must not seem to have failed by this.
                report(failure);
            }
        };
    }

    private void report(Throwable failure) {
        logger.warn("Call observer {} failed", observer.getClass().getName(), failure);
    }
}
