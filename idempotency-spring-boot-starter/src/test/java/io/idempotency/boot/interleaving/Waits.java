package io.idempotency.boot.interleaving;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Tells an actor that waits for another one from an actor that is still moving. */
final class Waits {

    /** Longer than the pauses before a repeat, which end by themselves. */
    private static final long PAUSE_NANOS = 8_000_000;

    private final Server server;

    private final Map<Actor, Long> parkedSince = new HashMap<>();

    Waits(Server server) {
        this.server = server;
    }

    /** Forgets the actors of the last run. */
    void reset() {
        parkedSince.clear();
    }

    boolean isWaiting(Actor actor) {
        return isInJvm(actor.thread()) || (actor.pid() != 0 && server.isBlocked(actor.pid()));
    }

    /**
     * Returns whether the actor waits for some time and for nobody, as one that reads a lease again and again. Its thread is parked
     * without an object.
     */
    boolean isPausing(Actor actor) {
        if (!isParkedForNobody(actor.thread())) {
            parkedSince.remove(actor);
            return false;
        }
        return System.nanoTime() - parkedSince.computeIfAbsent(actor, same -> System.nanoTime()) > PAUSE_NANOS;
    }

    private static boolean isParkedForNobody(Thread thread) {
        if (thread.getState() != Thread.State.TIMED_WAITING || LockSupport.getBlocker(thread) != null) {
            return false;
        }
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(LockSupport.class.getName()));
    }

    /**
     * Returns whether the thread waits in the queue of a semaphore that has no permit. One that has got a permit, or is interrupted,
     * may still look parked, until it is woken.
     */
    private static boolean isInJvm(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        return blocker != null
                && !thread.isInterrupted()
                && blocker.getClass().getEnclosingClass() == Semaphore.class
                && blocker.toString().contains("State = 0");
    }
}
