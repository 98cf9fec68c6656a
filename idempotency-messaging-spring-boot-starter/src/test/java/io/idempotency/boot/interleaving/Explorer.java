package io.idempotency.boot.interleaving;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs a scenario in many schedules, each with a fresh key, and fails with those that ended wrong. */
final class Explorer {

    private static final Logger logger = LoggerFactory.getLogger("interleavings");

    private static final int MOST_PRINTED = 5;

    /** A run may diverge on a loaded machine; it is tried so often. */
    private static final int MOST_TRIES = 10;

    private static final AtomicLong keys = new AtomicLong();

    private final long start = System.nanoTime();

    private final String name;

    private final Server server;

    private final Scenario scenario;

    private final List<String> violations = new ArrayList<>();

    private int runs;

    private int steps;

    private int divergences;

    private int redundant;

    Explorer(String name, Server server, Scenario scenario) {
        this.name = name;
        this.server = server;
        this.scenario = scenario;
    }

    /** Runs all schedules without a fault, or with up to so many of them. */
    void exploreAll(Set<Fault> faults, int mostFaults) {
        exploreAll(Bounds.of(faults, mostFaults));
    }

    void exploreAll(Bounds bounds) {
        Bounds borne = bounds.within(scenario.faults());
        explore(borne, Integer.MAX_VALUE);
        report("complete with " + borne);
    }

    /** Runs the first ones of all schedules without a fault. */
    void exploreFirst(int count) {
        explore(Bounds.of(EnumSet.noneOf(Fault.class), 0), count);
        report("the first " + count);
    }

    private void explore(Bounds bounds, int count) {
        // Bounds on switches, and chains of faults, depend on the order even of steps that commute.
        boolean skipsCommuted =
                scenario.isApart() && bounds.mostSwitches() == Integer.MAX_VALUE && !bounds.areFaultsChained();
        DepthFirst depthFirst = new DepthFirst(bounds.mostFaults(), skipsCommuted);
        Scheduler scheduler = new Scheduler(server, bounds, scenario.isSymmetric(), skipsCommuted);
        do {
            run(scheduler, () -> {
                depthFirst.restart();
                return depthFirst;
            });
            redundant += depthFirst.isRedundant() ? 1 : 0;
        } while (depthFirst.next() && runs < count && violations.size() < MOST_PRINTED);
    }

    /** Runs schedules at random. */
    void walk(long seed, int count, int mostFaults) {
        walk(seed, count, Bounds.of(EnumSet.allOf(Fault.class), mostFaults));
    }

    void walk(long seed, int count, Bounds bounds) {
        Bounds borne = bounds.within(scenario.faults());
        Scheduler scheduler = new Scheduler(server, borne, false, false);
        for (int i = 0; i < count && violations.size() < MOST_PRINTED; i++) {
            long seedOfRun = seed + i;
            run(scheduler, () -> new RandomWalk(seedOfRun));
        }
        report("at random from seed " + seed + " with " + borne);
    }

    /** Runs one printed schedule. */
    void replay(String schedule) {
        Scheduler scheduler =
                new Scheduler(server, Bounds.of(EnumSet.allOf(Fault.class), Integer.MAX_VALUE), false, false);
        run(scheduler, () -> new Replay(Schedule.parse(schedule)));
        report("replayed");
    }

    private void run(Scheduler scheduler, Supplier<Chooser> choosers) {
        for (int tries = 1; true; tries++) {
            String key = "key-" + keys.incrementAndGet();
            try {
                Run run = scheduler.run(scenario.actors(key), choosers.get());
                runs++;
                steps += run.labels().size();
                OutcomeFiles.add(name, key, run);
                List<String> wrong = scenario.check(key, run);
                if (!wrong.isEmpty()) {
                    violations.add(wrong + "\n" + run.describe());
                }
                return;
            } catch (Divergence divergence) {
                divergences++;
                logger.warn("{}: {}", name, divergence.getMessage());
                if (tries == MOST_TRIES) {
                    throw divergence;
                }
            }
        }
    }

    private void report(String bound) {
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        logger.warn(
                "{}, {}: {} schedules, {} steps, {} diverged, {} redundant, {} s",
                name,
                bound,
                runs,
                steps,
                divergences,
                redundant,
                took.toMillis() / 1000.0);
        assertThat(violations).as("%s: %d schedules", name, runs).isEmpty();
    }
}
