package io.idempotency.boot.interleaving;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Tells an actor that waits for another one from an actor that is still moving. */
final class Waits {

    /** Most steps are shorter, and end without a question to the server. */
    static final long PATIENCE_NANOS = 250_000;

    private static final long BLINK_NANOS = 200_000;

    /** Longer than the pauses before a repeat, which end by themselves. */
    private static final long PAUSE_NANOS = 2_000_000;

    private final Server server;

    private final Map<Actor, Long> waitingSince = new HashMap<>();

    private final Map<Actor, Long> parkedSince = new HashMap<>();

    Waits(Server server) {
        this.server = server;
    }

    /** Forgets the actors of the last run. */
    void reset() {
        waitingSince.clear();
        parkedSince.clear();
    }

    /** Returns whether it is too early to ask if the actor waits. */
    boolean hasJustMoved(Actor actor) {
        return !isLongerAgo(actor.movedAt(), PATIENCE_NANOS);
    }

    /** Returns whether the actor waits for another one, and has done so for a while: the server itself holds a lock for a moment only. */
    boolean isWaiting(Actor actor) {
        if (!isInJvm(actor.thread()) && !(actor.isAtServer() && server.isBlocked(actor.pid()))) {
            waitingSince.remove(actor);
            return false;
        }
        return isLongerAgo(waitingSince.computeIfAbsent(actor, same -> System.nanoTime()), BLINK_NANOS);
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
        return isLongerAgo(parkedSince.computeIfAbsent(actor, same -> System.nanoTime()), PAUSE_NANOS);
    }

    private static boolean isLongerAgo(long time, long nanos) {
        return System.nanoTime() - time > nanos;
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
