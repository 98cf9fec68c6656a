package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.Set;

import io.idempotency.boot.interleaving.YieldPoint.Kind;

/** What may go wrong where an actor stops. */
enum Fault {

    /** The server process ends while the actor stands there, so that others may go on before the actor finds out. */
    TERMINATED(true, EnumSet.of(Kind.SESSION, Kind.STATEMENT, Kind.COMMIT)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) {
            throw new IllegalStateException("The scheduler terminates backends, and moves nobody");
        }
    },

    /** The process stands still until the run is over, and its connection stays open. */
    HALTED(false, EnumSet.of(Kind.STATEMENT, Kind.COMMIT, Kind.ROLLBACK)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) {
            throw new IllegalStateException("The scheduler moves nobody who is halted");
        }
    },

    /** The connection is cut before anything is sent. */
    UNSENT(true, EnumSet.of(Kind.STATEMENT, Kind.COMMIT, Kind.ROLLBACK)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) throws Throwable {
            return CuttableSockets.cutting(CuttableSockets.Cut.BEFORE_THE_MESSAGE, proceeding);
        }
    },

    /** COMMIT is sent and never arrives: it is in doubt, and has not happened. */
    COMMIT_LOST(true, EnumSet.of(Kind.COMMIT)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) throws Throwable {
            return CuttableSockets.cutting(CuttableSockets.Cut.WITHIN_THE_MESSAGE, proceeding);
        }
    },

    /** The server has committed, and its answer never arrives: the COMMIT is in doubt, and has happened. */
    COMMIT_UNANSWERED(true, EnumSet.of(Kind.COMMIT)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) throws Throwable {
            return CuttableSockets.cutting(CuttableSockets.Cut.BEFORE_THE_ANSWER, proceeding);
        }
    },

    /** The server has done it, and its answer never arrives. */
    UNANSWERED(true, EnumSet.of(Kind.STATEMENT)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) throws Throwable {
            return CuttableSockets.cutting(CuttableSockets.Cut.BEFORE_THE_ANSWER, proceeding);
        }
    },

    /** The server refuses it with a serialization failure, which has aborted the transaction. */
    SERIALIZATION(true, EnumSet.of(Kind.STATEMENT, Kind.COMMIT)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) throws Throwable {
            SQLException failure = failSerialization(point);
            if (point.kind() == Kind.COMMIT) {
                point.driver().rollback();
            }
            throw failure;
        }
    },

    /** An unchecked exception instead of the message. */
    EXCEPTION(false, EnumSet.of(Kind.STATEMENT, Kind.COMMIT, Kind.ROLLBACK)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) {
            throw new InjectedException();
        }
    },

    /** An error instead of the message. */
    ERROR(false, EnumSet.of(Kind.STATEMENT, Kind.COMMIT, Kind.ROLLBACK)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) {
            throw new InjectedError();
        }
    },

    /** The thread is interrupted before the message is sent. */
    INTERRUPT(false, EnumSet.of(Kind.STATEMENT, Kind.COMMIT, Kind.ROLLBACK)) {
        @Override
        Object strike(YieldPoint point, Proceeding proceeding) throws Throwable {
            Thread.currentThread().interrupt();
            return proceeding.proceed();
        }
    };

    private final boolean isHidden;

    @SuppressWarnings("ImmutableEnumChecker") // Set is the type of an EnumSet, which nothing changes.
    private final Set<Kind> kinds;

    Fault(boolean isHidden, Set<Kind> kinds) {
        this.isHidden = isHidden;
        this.kinds = kinds;
    }

    /** Returns whether a call that starts its own transaction repeats itself, so that its caller does not notice. */
    boolean isHidden() {
        return isHidden;
    }

    /** Returns whether the actor goes on from there; otherwise the fault changes only what is around it. */
    boolean movesActor() {
        return this != TERMINATED && this != HALTED;
    }

    /** Returns what it leaves for others. A session that is lost ends its transaction, and so does a statement that fails. */
    Footprint footprintAt(YieldPoint point) {
        return switch (this) {
            case EXCEPTION, ERROR -> Footprint.LOCAL;
            case INTERRUPT -> point.footprint();
            case TERMINATED, UNSENT, COMMIT_LOST, SERIALIZATION -> Footprint.UNDO;
            case COMMIT_UNANSWERED -> Footprint.COMMIT;
            case UNANSWERED, HALTED -> Footprint.UNKNOWN;
        };
    }

    /**
     * Returns whether it may strike there, and differs from the other faults. A statement within a transaction is undone with its
     * session, so that it does not matter whether the server has got it: the loss of the session before it stands for all of them. A
     * ROLLBACK that is not sent stands for one that is not answered.
     */
    boolean mayStrikeAt(YieldPoint point) {
        boolean losesStatement = (this == UNSENT || this == UNANSWERED) && point.kind() == Kind.STATEMENT;
        return kinds.contains(point.kind()) && !(losesStatement && point.footprint() != Footprint.UNKNOWN);
    }

    boolean cutsConnection() {
        return this == UNSENT || this == COMMIT_LOST || this == COMMIT_UNANSWERED || this == UNANSWERED;
    }

    /** Happens instead of the message, on the thread of the actor. */
    abstract Object strike(YieldPoint point, Proceeding proceeding) throws Throwable;

    private static SQLException failSerialization(YieldPoint point) throws SQLException {
        try (Statement statement = point.driver().createStatement()) {
            statement.execute("do 'begin raise exception ''injected'' using errcode = ''40001''; end'");
            throw new IllegalStateException("Nothing was raised");
        } catch (SQLException failure) {
            return failure;
        }
    }

    /** The message that reaches the server if no fault strikes. */
    @FunctionalInterface
    interface Proceeding {

        Object proceed() throws Throwable;
    }

    static final class InjectedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        InjectedException() {
            super("injected");
        }
    }

    static final class InjectedError extends Error {
        private static final long serialVersionUID = 1;

        InjectedError() {
            super("injected");
        }
    }
}
