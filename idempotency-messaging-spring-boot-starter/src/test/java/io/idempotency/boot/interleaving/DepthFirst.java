package io.idempotency.boot.interleaving;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Enumerates all schedules, the last possible choice first. Each run repeats the choices before that one from the start.
 *
 * <p>Of schedules that differ only in the order of steps that commute it takes one, by sleep sets: when all schedules after a move were
 * seen, the move sleeps while the alternatives to it are explored, until a step is taken that does not commute with it. To wake it
 * earlier would repeat what was seen, with the two steps the other way round.
 */
final class DepthFirst implements Chooser {

    private static final int MOST_DIVERGENCES = 3;

    private final int mostFaults;

    private final boolean skipsCommuted;

    private final List<Choice> path = new ArrayList<>();

    private int depth;

    private int divergences;

    private boolean isRedundant;

    /**
     * Creates an enumeration.
     *
     * @param mostFaults how many may strike in one run
     * @param skipsCommuted whether one order of steps that commute is enough
     */
    DepthFirst(int mostFaults, boolean skipsCommuted) {
        this.mostFaults = mostFaults;
        this.skipsCommuted = skipsCommuted;
    }

    /** Begins the next run with the same choices, of which the last one is new. */
    void restart() {
        depth = 0;
        isRedundant = false;
    }

    /** Returns whether all orders of the rest of the last run were seen. */
    boolean isRedundant() {
        return isRedundant;
    }

    @Override
    public Step choose(List<Move> possible) {
        if (!isRedundant && depth == path.size()) {
            Choice choice = depth == 0
                    ? new Choice(possible, List.of(), 0)
                    : new Choice(
                            possible,
                            path.get(depth - 1).sleepingAfterwards(),
                            path.get(depth - 1).faultsAfterwards());
            isRedundant = choice.remaining.isEmpty();
            if (!isRedundant) {
                path.add(choice);
            }
        }
        if (isRedundant) {
            // Only to its end, so that it leaves nothing to the next run.
            return possible.get(0).step();
        }
        Choice choice = path.get(depth);
        if (!choice.possible.equals(possible)) {
            String before = path.subList(0, depth).stream()
                    .map(made -> made.remaining.element().step().toString())
                    .collect(Collectors.joining(" "));
            if (++divergences > MOST_DIVERGENCES) {
                // Then the first run was the exception.
                divergences = 0;
                path.subList(depth, path.size()).clear();
            }
            throw new Divergence("After '" + before + "' was possible " + choice.possible + ", and now is " + possible);
        }
        depth++;
        return choice.remaining.element().step();
    }

    /** Moves to the next schedule, and returns whether there is one. */
    boolean next() {
        while (!path.isEmpty()) {
            path.get(path.size() - 1).leave();
            if (!path.get(path.size() - 1).remaining.isEmpty()) {
                return true;
            }
            path.remove(path.size() - 1);
        }
        return false;
    }

    private final class Choice {

        private final List<Move> possible;

        private final Deque<Move> remaining = new ArrayDeque<>();

        private final List<Move> sleeping;

        private final int faultsBefore;

        Choice(List<Move> possible, List<Move> sleeping, int faultsBefore) {
            this.possible = List.copyOf(possible);
            this.sleeping = new ArrayList<>(sleeping);
            this.faultsBefore = faultsBefore;
            possible.stream().filter(move -> !isAsleep(move)).forEach(remaining::add);
            removePointless();
        }

        private boolean isAsleep(Move move) {
            return sleeping.stream().anyMatch(asleep -> asleep.step().equals(move.step()));
        }

        /** Ends the move whose schedules were seen. */
        void leave() {
            Move seen = remaining.remove();
            if (skipsCommuted) {
                sleeping.add(seen);
                removePointless();
            }
        }

        /**
         * Removes what leads only to runs that end with a sleeping move, which nothing wakes: the actor of a local one, which would
         * have to be struck there instead.
         */
        private void removePointless() {
            for (Move asleep : sleeping) {
                String actor = asleep.step().actor();
                if (asleep.footprint() == Footprint.LOCAL && !asleep.isFault() && isOffered(actor)) {
                    boolean mayBeStruck = possible.stream().anyMatch(move -> move.isFault() && move.isOf(actor));
                    remaining.removeIf(move -> !move.isOf(actor) && !(mayBeStruck && mayFaultFollow(move)));
                }
            }
        }

        private boolean isOffered(String actor) {
            return possible.stream().anyMatch(move -> move.isOf(actor));
        }

        private boolean mayFaultFollow(Move move) {
            return faultsAfter(move) < mostFaults;
        }

        private int faultsAfter(Move move) {
            return faultsBefore + (move.isFault() ? 1 : 0);
        }

        int faultsAfterwards() {
            return faultsAfter(remaining.element());
        }

        List<Move> sleepingAfterwards() {
            Move made = remaining.element();
            return sleeping.stream().filter(move -> move.commutesWith(made)).toList();
        }
    }
}
