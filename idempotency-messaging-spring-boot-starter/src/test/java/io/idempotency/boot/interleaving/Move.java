package io.idempotency.boot.interleaving;

/**
 * A step that is possible.
 *
 * @param step the step
 * @param footprint decides with which steps of others it commutes
 */
record Move(Step step, Footprint footprint) {

    boolean isFault() {
        return step.fault() != null;
    }

    boolean isOf(String actor) {
        return step.actor().equals(actor);
    }

    /** Faults do not commute, because there is a number of them that may strike in one run. */
    boolean commutesWith(Move other) {
        return !other.isOf(step.actor()) && !(isFault() && other.isFault()) && footprint.commutesWith(other.footprint);
    }
}
