package io.idempotency.boot.interleaving;

import java.util.EnumSet;

import io.idempotency.LeaseLostException;
import io.idempotency.RequestInProgressException;

/** Which callers need not be answered. */
@FunctionalInterface
interface Failures {

    boolean mayFail(Actor caller, Run run);

    /** A call that neither repeats itself nor finds out what has become of it. */
    static boolean afterFaults(Actor caller, Run run) {
        return !caller.faults().isEmpty();
    }

    /** A call with a transaction of its own repeats itself, so that only its own exceptions reach its caller. */
    static boolean ofTransactions(Actor caller, Run run) {
        return !caller.faults().stream().allMatch(Fault::isHidden);
    }

    /** A call that does not repeat itself is answered nevertheless if its COMMIT is found to have succeeded. */
    static boolean ofTransactionsWithoutRepeats(Actor caller, Run run) {
        return isUncertain(caller);
    }

    /**
     * A leased call that has started is not run again. If it could not say so, its lease keeps the key until it expires, and the
     * others wait in vain.
     */
    static boolean ofLeases(Actor caller, Run run) {
        return isUncertain(caller)
                || (caller.failure() instanceof RequestInProgressException
                        && run.actors().stream()
                                .anyMatch(actor -> !actor.faults().isEmpty()));
    }

    /** A COMMIT that has succeeded is found, so that its caller is answered. */
    private static boolean isUncertain(Actor caller) {
        return !caller.faults().isEmpty() && !caller.faults().equals(EnumSet.of(Fault.COMMIT_UNANSWERED));
    }

    /** A holder whose lease has expired may lose it to another caller, which makes the next attempt. */
    static boolean ofLeasesThatExpire(Actor caller, Run run) {
        return ofLeases(caller, run)
                || (caller.failure() instanceof LeaseLostException
                        && run.actors().stream().anyMatch(other -> other.attempt() > caller.attempt()));
    }
}
