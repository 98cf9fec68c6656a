package io.idempotency.boot.interleaving;

import java.util.EnumSet;

import org.springframework.dao.PessimisticLockingFailureException;

import io.idempotency.LeaseLostException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestInProgressException;

/** Which callers need not be answered. */
@FunctionalInterface
interface Failures {

    boolean mayFail(Actor caller, Run run);

    /** A call that neither repeats itself nor finds out what has become of it. */
    static boolean afterFaults(Actor caller, Run run) {
        return !caller.faults().isEmpty();
    }

    /** If two callers wait for each other, one of them fails and the other is answered. */
    static boolean ofDeadlocks(Actor caller, Run run) {
        return afterFaults(caller, run)
                || (caller.failure() instanceof PessimisticLockingFailureException
                        && run.actors().stream().anyMatch(other -> other.failure() == null || afterFaults(other, run)));
    }

    /** Whoever stands still keeps its key, and the others wait in vain. */
    static boolean besideHalted(Actor caller, Run run) {
        return ofTransactions(caller, run)
                || (caller.failure() instanceof RequestInProgressException
                        && run.actors().stream()
                                .anyMatch(actor -> actor.faults().contains(Fault.HALTED)));
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

    /** A COMMIT that has succeeded is found, alone or in a message, so that its caller is answered. */
    private static boolean isUncertain(Actor caller) {
        return !EnumSet.of(Fault.COMMIT_UNANSWERED, Fault.UNANSWERED).containsAll(caller.faults());
    }

    /**
     * A holder whose lease has expired may lose it to another caller, which makes the next attempt. If that one stands still while it
     * takes the lease, nobody knows who has it. That it expires is a change here, which is not in the snapshot of the holder.
     */
    static boolean ofLeasesThatExpire(Actor caller, Run run) {
        return ofLeases(caller, run)
                || caller.failure() instanceof PessimisticLockingFailureException
                || (caller.failure() instanceof LeaseLostException
                        && run.actors().stream().anyMatch(other -> other.attempt() > caller.attempt()))
                || (caller.failure() instanceof OutcomeUnknownException
                        && run.actors().stream()
                                .anyMatch(actor -> actor.faults().contains(Fault.HALTED)));
    }
}
