package io.idempotency.boot.interleaving;

import java.util.List;
import java.util.Random;

/** Chooses at random, faults seldom, and the same again from the same seed. */
final class RandomWalk implements Chooser {

    /** About one fault in the steps of a call. */
    private static final double FAULTS = 0.12;

    private final Random random;

    RandomWalk(long seed) {
        this.random = new Random(seed);
    }

    @Override
    public Step choose(List<Move> possible) {
        boolean wantsFault = random.nextDouble() < FAULTS;
        List<Move> wanted =
                possible.stream().filter(move -> move.isFault() == wantsFault).toList();
        List<Move> from = wanted.isEmpty() ? possible : wanted;
        return from.get(random.nextInt(from.size())).step();
    }
}
