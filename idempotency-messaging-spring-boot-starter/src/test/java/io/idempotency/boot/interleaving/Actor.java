package io.idempotency.boot.interleaving;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.IdempotencyContext;
import io.idempotency.boot.interleaving.Fault.Proceeding;
import io.idempotency.boot.interleaving.YieldPoint.Kind;

/** A thread of the application that stops before whatever it sends to the server. */
final class Actor {

    /** In the first one, others may have gone on since the actor has looked; in the second one, it has seen what they have left. */
    private static final int SHORT_PAUSES = 2;

    private static final ThreadLocal<Actor> CURRENT = new ThreadLocal<>();

    private final String name;

    private final Callable<?> work;

    private final Thread thread;

    private Server server;

    /** Is woken when this stops or ends. */
    private Thread watcher;

    private volatile long movedAt;

    private final Semaphore turn = new Semaphore(0);

    private volatile YieldPoint at;

    /** Set while the server executes what the actor has sent. */
    private volatile boolean isAtServer;

    private volatile boolean isWoken;

    private int wakes;

    private volatile int pid;

    private volatile int attempt;

    /** Whether the open transaction has written; {@code null} if the scheduler has not asked. */
    private Boolean hasWritten;

    /** The statements that the actor stops at; {@code null} for all. */
    private volatile String stops;

    private volatile boolean hasStopped;

    /** Is run before each COMMIT, while the others stand or wait. */
    private Runnable beforeCommit = () -> {};

    private volatile boolean isDone;

    private volatile boolean isFree;

    private volatile Object answer;

    private volatile Throwable failure;

    private volatile String leftovers = "";

    private final Set<Fault> faults = Collections.synchronizedSet(EnumSet.noneOf(Fault.class));

    private volatile Fault nextFault;

    /** The backend that was terminated while this stood. */
    private volatile int terminatedPid;

    Actor(String name, Callable<?> work) {
        this.name = name;
        this.work = work;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** Returns the actor of this thread; {@code null} if it is another thread. */
    static Actor current() {
        return CURRENT.get();
    }

    private void run() {
        CURRENT.set(this);
        try {
            answer = work.call();
        } catch (Throwable thrown) {
            failure = thrown;
        } finally {
            CURRENT.remove();
            leftovers = leftoversOfThread();
            isDone = true;
            LockSupport.unpark(watcher);
        }
    }

    /** Returns what is still bound to the thread after the call. */
    private static String leftoversOfThread() {
        StringBuilder left = new StringBuilder();
        if (!TransactionSynchronizationManager.getResourceMap().isEmpty()) {
            left.append(" resources ").append(TransactionSynchronizationManager.getResourceMap());
        }
        if (TransactionSynchronizationManager.isSynchronizationActive()
                || TransactionSynchronizationManager.isActualTransactionActive()) {
            left.append(" an active transaction");
        }
        if (IdempotencyContext.find().isPresent()) {
            left.append(" the context of a call");
        }
        return left.toString();
    }

    /** Notes which attempt at the intent the method of this thread is. */
    static void runsAttempt(int attempt) {
        Actor actor = CURRENT.get();
        if (actor != null) {
            actor.attempt = attempt;
        }
    }

    /**
     * From now on the actor of this thread stops only at statements whose label begins so, and at the ends of their transactions. The
     * others must not matter to anybody else.
     */
    static void stopsOnlyAt(String label) {
        CURRENT.get().stops = label;
    }

    /** From now on the actor of this thread does this before each COMMIT, when it is the only one that moves. */
    static void looksBeforeCommit(Runnable look) {
        CURRENT.get().beforeCommit = look;
    }

    /** Stops, and goes on as the scheduler decides. */
    Object reach(YieldPoint point, Proceeding proceeding) throws Throwable {
        if (isFree) {
            return proceeding.proceed();
        }
        pid = point.pid();
        isWoken = false;
        if (stopsAt(point)) {
            at = point;
            LockSupport.unpark(watcher);
            turn.acquireUninterruptibly();
        }
        if (point.kind() == Kind.COMMIT) {
            beforeCommit.run();
        }
        Fault fault = nextFault;
        nextFault = null;
        isAtServer = true;
        try {
            return fault == null ? proceeding.proceed() : fault.strike(point, proceeding);
        } finally {
            isAtServer = false;
            if (fault != null && fault.cutsConnection()) {
                // The server notices at once, so that all runs of a schedule are the same.
                server.awaitGone(pid);
            }
        }
    }

    /** Waits until a backend has ended whose connection this actor has given up. */
    void awaitGone(int givenUp) {
        server.awaitGone(givenUp);
    }

    private boolean stopsAt(YieldPoint point) {
        if (stops == null || point.kind() == Kind.SESSION) {
            return stops == null;
        }
        boolean isStatement = point.kind() == Kind.STATEMENT;
        boolean isFirst = isStatement && !hasStopped && point.label().startsWith(stops);
        boolean isEnd = !isStatement && hasStopped;
        hasStopped = isFirst || (hasStopped && !isEnd);
        return isFirst || isEnd;
    }

    void start(Server onServer, Thread woken) {
        server = onServer;
        watcher = woken;
        movedAt = System.nanoTime();
        thread.start();
    }

    /** Lets the actor do what it has stopped before. */
    void move(Fault fault) {
        if (fault != null) {
            faults.add(fault);
            nextFault = fault;
        }
        movedAt = System.nanoTime();
        hasWritten = null;
        at = null;
        turn.release();
    }

    /** Ends a pause. A later one waits for nothing that could still come, so that an interrupt ends it, as its time would do. */
    void wake() {
        isWoken = true;
        if (++wakes <= SHORT_PAUSES) {
            LockSupport.unpark(thread);
        } else {
            thread.interrupt();
        }
    }

    /** Returns whether a pause was ended, and nothing was reached since. */
    boolean isWoken() {
        return isWoken;
    }

    /** Notes a fault that moves nobody. */
    void struck(Fault fault) {
        faults.add(fault);
        if (fault == Fault.TERMINATED) {
            terminatedPid = pid;
        }
    }

    /**
     * Returns what the next step leaves for others. One that stops seldom does much in a step; one whose backend has been terminated
     * reaches nobody.
     */
    Footprint footprint(Fault fault) {
        if (stops != null) {
            return Footprint.UNKNOWN;
        }
        if (fault == null && pid == terminatedPid) {
            return Footprint.LOCAL;
        }
        Footprint footprint = fault == null ? at.footprint() : fault.footprintAt(at);
        boolean isEnd = footprint == Footprint.COMMIT || footprint == Footprint.UNDO;
        return isEnd && !hasWritten() ? Footprint.LOCAL : footprint;
    }

    /** The end of a transaction that has written and locked nothing is not noticed by others. */
    private boolean hasWritten() {
        if (hasWritten == null) {
            hasWritten = at.isInTransaction() && server.hasWritten(pid);
        }
        return hasWritten;
    }

    /** Lets the actor run to its end, as nobody watches any more. */
    void free() {
        isFree = true;
        at = null;
        turn.release();
    }

    String name() {
        return name;
    }

    Thread thread() {
        return thread;
    }

    /** Returns where the actor stands; {@code null} if it moves, waits or is done. */
    YieldPoint at() {
        return at;
    }

    /** Returns when the actor has begun to move for the last time. */
    long movedAt() {
        return movedAt;
    }

    /** Returns the backend that the actor has used last. */
    int pid() {
        return pid;
    }

    /** Returns whether the actor waits for an answer of the server. */
    boolean isAtServer() {
        return isAtServer;
    }

    boolean isDone() {
        return isDone;
    }

    /** Returns whether the actor does not move any more. */
    boolean isOver() {
        return isDone || faults.contains(Fault.HALTED);
    }

    /** Returns the last attempt that the actor has run; 0 if it has run none. */
    int attempt() {
        return attempt;
    }

    Object answer() {
        return answer;
    }

    Throwable failure() {
        return failure;
    }

    String leftovers() {
        return leftovers;
    }

    /** Returns the faults that have struck this actor. */
    Set<Fault> faults() {
        return faults;
    }

    private static String firstLineOf(Throwable failure) {
        return failure.toString().lines().findFirst().orElse("");
    }

    @Override
    public String toString() {
        String state = isDone
                ? (failure == null ? "answered " + answer : "failed with " + firstLineOf(failure))
                : at == null ? "is " + thread.getState() : "stands before " + at.label();
        return name + " " + state + (faults.isEmpty() ? "" : " " + faults);
    }
}
