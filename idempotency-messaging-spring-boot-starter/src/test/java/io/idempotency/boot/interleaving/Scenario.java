package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The actors of a run, and what must be true after it. */
interface Scenario {

    /** Returns new actors of a key that was never used. */
    List<Actor> actors(String key);

    /** Returns whether all actors do the same, so that it does not matter who of them is the first. */
    boolean isSymmetric();

    /**
     * Returns whether the actors share nothing but the database, in transactions that are not SERIALIZABLE. Then one order of steps that
     * commute is enough.
     */
    boolean isApart();

    /** Returns the faults after which its check holds. */
    default Set<Fault> faults() {
        return EnumSet.complementOf(EnumSet.of(Fault.HALTED));
    }

    /** Returns what is wrong after they have run; empty if nothing is. */
    List<String> check(String key, Run run);
}
