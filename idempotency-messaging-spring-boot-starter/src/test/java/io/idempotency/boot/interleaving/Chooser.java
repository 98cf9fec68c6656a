package io.idempotency.boot.interleaving;

import java.util.List;

/** Decides which step of a run is the next one. */
interface Chooser {

    /**
     * Chooses a step.
     *
     * @param possible at least one, in an order that depends on the steps before only
     */
    Step choose(List<Move> possible);
}
