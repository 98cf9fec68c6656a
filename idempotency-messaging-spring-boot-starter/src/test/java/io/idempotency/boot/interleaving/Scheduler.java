package io.idempotency.boot.interleaving;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import io.idempotency.boot.interleaving.YieldPoint.Kind;

/** Moves one actor at a time, from one point to the next, and waits until all others stand, wait for another one or are done. */
final class Scheduler {

    /** The longest step, and the longest time for which all actors wait. A wait for a key is shorter. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final int MOST_STEPS = 400;

    private final Server server;

    private final Waits waits;

    private final Bounds bounds;

    private final boolean isSymmetric;

    private final boolean hasFootprints;

    private final Set<Actor> pausing = new LinkedHashSet<>();

    /** Those that stood beside the first fault of the run, which has woken none of them. */
    private final Set<Actor> bystanders = new LinkedHashSet<>();

    /** Who was the last to do what matters to others. */
    private Actor last;

    private int switches;

    /**
     * Creates a scheduler.
     *
     * @param server that the actors use
     * @param bounds of the runs
     * @param isSymmetric whether the actors do the same, so that it does not matter which of them is the first
     * @param hasFootprints whether it matters with which others a step commutes
     */
    Scheduler(Server server, Bounds bounds, boolean isSymmetric, boolean hasFootprints) {
        this.server = server;
        this.waits = new Waits(server);
        this.bounds = bounds;
        this.isSymmetric = isSymmetric;
        this.hasFootprints = hasFootprints;
    }

    /** Runs the actors to their end. */
    Run run(List<Actor> actors, Chooser chooser) {
        List<Step> steps = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        String stuck = null;
        pausing.clear();
        bystanders.clear();
        last = null;
        switches = 0;
        waits.reset();
        try {
            for (int i = 0; i < actors.size(); i++) {
                // One after the other, as they may wait for each other before they reach anything.
                actors.get(i).start(server, Thread.currentThread());
                settle(actors.subList(0, i + 1));
            }
            while (!actors.stream().allMatch(Actor::isOver)) {
                stuck = settle(actors);
                if (stuck != null) {
                    break;
                }
                List<Actor> standing = actors.stream().filter(this::stands).toList();
                if (standing.isEmpty()) {
                    continue;
                }
                if (steps.size() == MOST_STEPS) {
                    stuck = MOST_STEPS + " steps did not end it";
                    break;
                }
                Step step = chooser.choose(possible(standing, steps, hasFootprints && isCalm(actors)));
                Actor actor = standing.stream()
                        .filter(one -> one.name().equals(step.actor()))
                        .findFirst()
                        .orElseThrow();
                note(step, actor, standing, steps);
                steps.add(step);
                labels.add(step + ": " + actor.at().label());
                take(step, actor);
            }
            return new Run(actors, new Schedule(steps), labels, stuck);
        } finally {
            release(actors);
        }
    }

    private void note(Step step, Actor actor, List<Actor> standing, List<Step> before) {
        if (actor.at().kind() != Kind.SESSION) {
            if (actor != last && standing.contains(last)) {
                switches++;
            }
            last = actor;
        }
        if (step.fault() != null && before.stream().allMatch(earlier -> earlier.fault() == null)) {
            bystanders.addAll(standing);
            bystanders.remove(actor);
        }
    }

    private void take(Step step, Actor actor) {
        if (step.fault() == null || step.fault().movesActor()) {
            actor.move(step.fault());
            return;
        }
        actor.struck(step.fault());
        if (step.fault() == Fault.TERMINATED) {
            server.terminate(actor.at().pid());
        }
    }

    /** Moves without a fault first, so that these schedules are the first ones. */
    private List<Move> possible(List<Actor> standing, List<Step> before, boolean isKnown) {
        // Until one of them has done anything, equal actors may change their names.
        boolean areEqual = isSymmetric && last == null && before.stream().allMatch(step -> step.fault() == null);
        List<Actor> ready = standing.stream()
                .filter(actor -> actor.at().kind() == Kind.SESSION)
                .limit(1)
                .toList();
        if (ready.isEmpty()) {
            ready = areEqual ? standing.subList(0, 1) : withinSwitches(standing);
        }
        List<Move> possible = new ArrayList<>();
        ready.forEach(actor -> possible.add(move(actor, null, isKnown)));
        if (before.stream().filter(step -> step.fault() != null).count() < bounds.mostFaults()) {
            List<Actor> struck = ready.stream()
                    .filter(actor -> !areEqual || actor == standing.get(0))
                    .toList();
            for (Actor actor : struck) {
                Arrays.stream(Fault.values())
                        .filter(bounds.faults()::contains)
                        .filter(fault -> !bounds.areFaultsChained() || !bystanders.contains(actor))
                        .filter(fault -> fault.mayStrikeAt(actor.at()))
                        .map(fault -> move(actor, fault, isKnown))
                        .filter(move -> move.step().fault() != Fault.TERMINATED || !isLastStep(move.step(), before))
                        .forEach(possible::add);
            }
        }
        return possible;
    }

    /** An actor that waits goes on within the step of another one, with a footprint of its own. */
    private boolean isCalm(List<Actor> actors) {
        return actors.stream().allMatch(actor -> stands(actor) || actor.isOver());
    }

    private static Move move(Actor actor, Fault fault, boolean isKnown) {
        return new Move(new Step(actor.name(), fault), isKnown ? actor.footprint(fault) : Footprint.UNKNOWN);
    }

    private List<Actor> withinSwitches(List<Actor> standing) {
        return switches == bounds.mostSwitches() && standing.contains(last) ? List.of(last) : standing;
    }

    /** Returns whether the same backend was terminated just before. */
    private static boolean isLastStep(Step step, List<Step> before) {
        return !before.isEmpty() && before.get(before.size() - 1).equals(step);
    }

    /**
     * Returns whether nobody moves. Actors that stop by themselves are checked first, so that they have freed no actor that is seen waiting
     * afterwards. If several wait, they are asked twice, because the last one may have freed the first one on its way.
     */
    private boolean haveSettled(List<Actor> actors) {
        List<Actor> others = actors.stream()
                .filter(actor -> actor.at() == null && !actor.isDone())
                .toList();
        return others.stream().noneMatch(waits::hasJustMoved)
                && others.stream().allMatch(this::isHeldUp)
                && (others.size() < 2 || others.stream().allMatch(this::isHeldUp));
    }

    /** Waits until nobody moves, and returns what does not end. An actor that stops wakes this thread. */
    private String settle(List<Actor> actors) {
        long start = System.nanoTime();
        while (true) {
            boolean isSettled = haveSettled(actors);
            boolean canGoOn =
                    actors.stream().anyMatch(this::stands) || actors.stream().allMatch(Actor::isOver);
            if (isSettled && canGoOn) {
                return null;
            }
            if (isSettled && !pausing.isEmpty()) {
                pausing.forEach(Actor::wake);
                pausing.clear();
            } else if (System.nanoTime() - start > LIMIT.toNanos()) {
                return isSettled ? "all wait" : "somebody moves no more";
            }
            // A longer step is asked for less often, so that questions do not hold it up.
            LockSupport.parkNanos(Math.max(Waits.PATIENCE_NANOS, (System.nanoTime() - start) / 2));
        }
    }

    private boolean isHeldUp(Actor actor) {
        return waits.isWaiting(actor) || isPausing(actor);
    }

    /** A pause changes nothing for the others, so an actor that pauses goes on when nobody else can. */
    private boolean isPausing(Actor actor) {
        return !actor.isWoken() && (pausing.contains(actor) || (waits.isPausing(actor) && pausing.add(actor)));
    }

    private boolean stands(Actor actor) {
        return actor.at() != null && !actor.isOver() && !pausing.contains(actor);
    }

    /** Lets those that are left run to their end, so that the next run is alone. */
    private void release(List<Actor> actors) {
        actors.stream().filter(actor -> !actor.isDone()).forEach(Actor::free);
        for (Actor actor : actors) {
            try {
                actor.thread().join(LIMIT.toMillis());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
