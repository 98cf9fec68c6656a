package io.idempotency.boot.interleaving;

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Tells an actor that waits for another one from an actor that is still moving. */
final class Waits {

    private final Server server;

    Waits(Server server) {
        this.server = server;
    }

    boolean isWaiting(Actor actor) {
        return isInJvm(actor.thread()) || (actor.pid() != 0 && server.isBlocked(actor.pid()));
    }

    /**
     * Returns whether the thread waits in the queue of a semaphore that has no permit. One that has got a permit may still look
     * parked, until it is woken.
     */
    private static boolean isInJvm(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        return blocker != null
                && blocker.getClass().getEnclosingClass() == Semaphore.class
                && blocker.toString().contains("State = 0");
    }
}
