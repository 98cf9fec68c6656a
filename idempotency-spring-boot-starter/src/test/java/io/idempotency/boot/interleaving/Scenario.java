package io.idempotency.boot.interleaving;

import java.util.List;

/** The actors of a run, and what must be true after it. */
interface Scenario {

    /** Returns new actors of a key that was never used. */
    List<Actor> actors(String key);

    /** Returns whether all actors do the same, so that it does not matter who of them is the first. */
    boolean isSymmetric();

    /** Returns what is wrong after they have run; empty if nothing is. */
    List<String> check(String key, Run run);
}
