package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

import io.idempotency.boot.interleaving.Fault.InjectedError;

/**
 * The end of a message at its broker.
 *
 * @param isAcknowledged whether its receiver has returned
 * @param failures of the deliveries before
 */
record Delivered(boolean isAcknowledged, List<Throwable> failures) {

    /**
     * Delivers until the receiver returns, or no further delivery is worthwhile.
     *
     * @param most deliveries
     * @param isWorthwhile whether to deliver again after a failure
     * @param receiver gets the number of the delivery, from 1
     */
    static Delivered of(int most, Predicate<Throwable> isWorthwhile, IntConsumer receiver) {
        List<Throwable> failures = new ArrayList<>();
        for (int number = 1; number <= most; number++) {
            try {
                receiver.accept(number);
                return new Delivered(true, failures);
            } catch (RuntimeException | InjectedError failure) {
                failures.add(failure);
                // The listener of a container that goes on begins without the interrupt of the one before.
                Thread.interrupted();
                if (!isWorthwhile.test(failure)) {
                    break;
                }
            }
        }
        return new Delivered(false, failures);
    }

    boolean endedWith(Class<? extends Throwable> type) {
        return !isAcknowledged && type.isInstance(failures.get(failures.size() - 1));
    }

    @Override
    public String toString() {
        return (isAcknowledged ? "acknowledged" : "given up") + " after " + failures;
    }
}
