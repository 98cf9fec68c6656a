package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.Set;

/**
 * Which schedules are run.
 *
 * @param faults that may strike
 * @param mostFaults how many strike in one run
 * @param mostSwitches how often another actor may move although the last one could go on
 * @param areFaultsChained whether a later fault strikes only the actor that the first one struck, and those that waited then
 */
record Bounds(Set<Fault> faults, int mostFaults, int mostSwitches, boolean areFaultsChained) {

    /** All schedules with these faults. */
    static Bounds of(Set<Fault> faults, int mostFaults) {
        return new Bounds(faults, mostFaults, Integer.MAX_VALUE, false);
    }

    /** Those in which the second fault strikes what the first one has caused: a repeat, a query, or who goes on instead. */
    static Bounds ofPairs(Set<Fault> faults) {
        return new Bounds(faults, 2, Integer.MAX_VALUE, true);
    }

    Bounds withSwitches(int most) {
        return new Bounds(faults, mostFaults, most, areFaultsChained);
    }

    /** Leaves out the faults that a scenario does not bear. */
    Bounds within(Set<Fault> borne) {
        Set<Fault> left = EnumSet.copyOf(borne);
        left.retainAll(faults);
        return new Bounds(left, mostFaults, mostSwitches, areFaultsChained);
    }

    @Override
    public String toString() {
        return "up to " + mostFaults + (areFaultsChained ? " chained" : "") + " of " + faults
                + (mostSwitches == Integer.MAX_VALUE ? "" : " and " + mostSwitches + " switches");
    }
}
