package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The same with actors that may stand still. They go on when the run is over, so that their late ends are checked, too.
 *
 * @param scenario that bears it
 */
record Halting(Scenario scenario) implements Scenario {

    @Override
    public List<Actor> actors(String key) {
        return scenario.actors(key);
    }

    @Override
    public boolean isSymmetric() {
        return scenario.isSymmetric();
    }

    @Override
    public boolean isApart() {
        return scenario.isApart();
    }

    @Override
    public Set<Fault> faults() {
        return EnumSet.allOf(Fault.class);
    }

    @Override
    public List<String> check(String key, Run run) {
        return scenario.check(key, run);
    }
}
