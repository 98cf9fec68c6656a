package io.idempotency.boot.interleaving;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;

/** Enumerates all schedules, the last possible choice first. Each run repeats the choices before that one from the start. */
final class DepthFirst implements Chooser {

    private static final int MOST_DIVERGENCES = 3;

    private final List<Choice> path = new ArrayList<>();

    private int depth;

    private int divergences;

    /** Begins the next run with the same choices, of which the last one is new. */
    void restart() {
        depth = 0;
    }

    @Override
    public Step choose(List<Step> possible) {
        if (depth == path.size()) {
            path.add(new Choice(possible));
        }
        Choice choice = path.get(depth);
        if (!choice.possible.equals(possible)) {
            String before = path.subList(0, depth).stream()
                    .map(made -> String.valueOf(made.remaining.peekFirst()))
                    .collect(Collectors.joining(" "));
            if (++divergences > MOST_DIVERGENCES) {
                // Then the first run was the exception.
                divergences = 0;
                path.subList(depth, path.size()).clear();
            }
            throw new Divergence("After '" + before + "' was possible " + choice.possible + ", and now is " + possible);
        }
        depth++;
        return choice.remaining.peekFirst();
    }

    /** Moves to the next schedule, and returns whether there is one. */
    boolean next() {
        while (!path.isEmpty()) {
            Choice last = path.get(path.size() - 1);
            last.remaining.removeFirst();
            if (!last.remaining.isEmpty()) {
                return true;
            }
            path.remove(path.size() - 1);
        }
        return false;
    }

    private static final class Choice {

        private final List<Step> possible;

        private final Deque<Step> remaining;

        Choice(List<Step> possible) {
            this.possible = List.copyOf(possible);
            this.remaining = new ArrayDeque<>(possible);
        }
    }
}
