package io.idempotency.internal.lease;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The time for which a lease holds its key, by this JVM's clock, and whether it may be renewed. The database's clock decides. */
final class LeaseTerm {

    /** Two renewals may come to nothing before the lease expires. */
    private static final int TURNS = 3;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Duration duration;

    private final long claimed;

    private volatile long end;

    /** The {@link System#nanoTime()} before which it is not tried again to renew the lease. */
    private volatile long nextTry;

    private volatile boolean conflictsWithSnapshot;

    private volatile boolean isLost;

    private volatile boolean isExpiryLogged;

    /** Held while the lease is being renewed, and while a transaction with a snapshot will change its row. */
    private final Semaphore permit = new Semaphore(1);

    /**
     * Creates the term of a claim that was just granted.
     *
     * @param claimed the {@link System#nanoTime()} before the claim was sent, from when the database counts at the earliest
     */
    LeaseTerm(Duration duration, long claimed) {
        this.duration = duration;
        this.claimed = claimed;
        this.nextTry = claimed;
        this.end = claimed + duration.toNanos();
    }

    Duration duration() {
        return duration;
    }

    Duration remaining() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    boolean isLongerThanHalf() {
        return end - System.nanoTime() > duration.toNanos() / 2;
    }

    long end() {
        return end;
    }

    /** Notes that the lease does not end earlier than then. Two threads may do so, because the method may extend it. */
    synchronized void lasts(long newEnd) {
        if (newEnd - end > 0) {
            end = newEnd;
        }
    }

    /** Notes whether the transaction of the method, or of its step, could not change a row that has changed since it began. */
    void conflictsWithSnapshot(boolean conflicts) {
        conflictsWithSnapshot = conflicts;
    }

    boolean conflictsWithSnapshot() {
        return conflictsWithSnapshot;
    }

    boolean isLost() {
        return isLost;
    }

    /** Notes that the key is another call's, so that nothing may rely on the rest of the time. */
    synchronized void lose() {
        isLost = true;
        end = System.nanoTime();
    }

    boolean isExpiryLogged() {
        return isExpiryLogged;
    }

    void expiryLogged() {
        isExpiryLogged = true;
    }

    /** Returns whether the lease can be renewed without lasting longer than the longest time after its claim. */
    boolean isBelow(Duration longest) {
        long last = claimed + longest.toNanos();
        return end - last < 0 && System.nanoTime() - last < 0;
    }

    /** Returns the time for which it is to be renewed, so that it does not last longer than the longest time after its claim. */
    Duration next(Duration longest, long now) {
        return Duration.ofNanos(Math.max(0, Math.min(duration.toNanos(), claimed + longest.toNanos() - now)));
    }

    /** Returns the {@link System#nanoTime()} when the next renewal is due. */
    long due() {
        long due = end - duration.toNanos() / TURNS * (TURNS - 1);
        return due - nextTry > 0 ? due : nextTry;
    }

    /** Returns whether it is worth while to renew the lease together with another one that is due. */
    boolean isDueSoon(long now) {
        return now - nextTry >= 0 && due() - duration.toNanos() / (2 * TURNS) - now <= 0;
    }

    /** Returns the time between two tries if the first one came to nothing. */
    Duration pause() {
        Duration part = duration.dividedBy(4L * TURNS);
        return part.compareTo(LONGEST_PAUSE) < 0 ? part : LONGEST_PAUSE;
    }

    /**
     * Returns how long one try may take: until the lease is due, and then half of what is left, so that another one may follow, but half
     * of a turn if that is more.
     */
    Duration longestTry(long now) {
        long untilDue = Math.max(0, due() - now);
        return Duration.ofNanos(untilDue + Math.max((end - now - untilDue) / 2, duration.toNanos() / (2 * TURNS)));
    }

    void tryLater() {
        nextTry = System.nanoTime() + pause().toNanos();
    }

    boolean tryAcquire() {
        return permit.tryAcquire();
    }

    /** Waits, for a short time, until the lease is not being renewed. */
    boolean acquire() {
        try {
            return permit.tryAcquire(LONGEST_PAUSE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void release() {
        permit.release();
    }
}
