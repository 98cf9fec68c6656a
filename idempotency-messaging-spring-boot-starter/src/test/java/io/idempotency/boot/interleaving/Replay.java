package io.idempotency.boot.interleaving;

import java.util.Iterator;
import java.util.List;

/** Repeats the steps of a printed schedule, and then takes the first that is possible. */
final class Replay implements Chooser {

    private final Iterator<Step> steps;

    Replay(Schedule schedule) {
        this.steps = schedule.steps().iterator();
    }

    @Override
    public Step choose(List<Move> possible) {
        if (!steps.hasNext()) {
            return possible.get(0).step();
        }
        Step step = steps.next();
        if (possible.stream().noneMatch(move -> move.step().equals(step))) {
            throw new Divergence(step + " is none of " + possible);
        }
        return step;
    }
}
