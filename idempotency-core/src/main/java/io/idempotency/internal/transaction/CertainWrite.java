package io.idempotency.internal.transaction;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.util.backoff.BackOffExecution;

import io.idempotency.LeaseLostException;
import io.idempotency.internal.backoff.Backoff;

/**
 * Sends writes of the library, and asks about those of others, until it is known what became of them. A COMMIT may go unanswered, so
 * that the write may be stored although it has failed. It is sent again then. A write that has no fence any more may be stored by an
 * earlier try, so that the row is asked.
 *
 * <p>Nothing else on the path of a call decides whether a write was committed: it brings its message and its question.
 */
public final class CertainWrite {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Backoff backoff;

    /**
     * Creates one.
     *
     * @param backoff the pauses between tries, which are a second at most and end after 30 seconds
     */
    public CertainWrite(Backoff backoff) {
        this.backoff = backoff.atMost(LONGEST_PAUSE);
    }

    /**
     * Sends a write, again if it was not answered.
     *
     * @param message returns what it has stored; empty if the row is not as the message requires
     * @param question returns what is stored; empty if this write is not. It is asked after such an answer
     */
    public <T> WriteEnd<T> send(Try<Optional<T>> message, Try<Optional<T>> question) {
        Doubt doubt = new Doubt();
        try {
            Optional<T> stored = untilAnswered(() -> doubt.noting(message, Optional::isPresent));
            return (stored.isPresent() ? stored : untilAnswered(question))
                    .map(WriteEnd::stored)
                    .orElseGet(WriteEnd::lost);
        } catch (Throwable failure) {
            if (SqlStates.isWaitEnded(SqlStates.of(failure))) {
                return WriteEnd.locked(failure);
            }
            return doubt.failure != null || RepeatableFailure.isForRequiredWork(failure)
                    ? WriteEnd.unknown(failure)
                    : WriteEnd.refused(failure);
        }
    }

    /**
     * Sends a write whose message is its own question: it finds what an earlier one has stored. Its tries have bounds of their own. If
     * they end in doubt, it is sent once more.
     *
     * @param tries sends the message as often as the bounds allow
     * @param isSettled whether a result tells what became of all earlier messages
     */
    public <T> WriteEnd<T> send(Tries<T> tries, Try<T> message, Predicate<T> isSettled) {
        Doubt doubt = new Doubt();
        T result;
        try {
            result = tries.send(() -> doubt.noting(message, isSettled));
        } catch (Throwable last) {
            if (doubt.failure == null) {
                return WriteEnd.refused(last);
            }
            Suppression.add(doubt.failure, last);
            try {
                result = untilAnswered(() -> doubt.noting(message, isSettled));
            } catch (Throwable failure) {
                Suppression.add(doubt.failure, failure);
                return WriteEnd.unknown(doubt.failure);
            }
        }
        return doubt.failure == null ? WriteEnd.stored(result) : WriteEnd.locked(doubt.failure);
    }

    /**
     * Asks what became of a COMMIT that another one has sent, if it is in doubt.
     *
     * @param failure the exception that the COMMIT has ended with
     * @param question returns what is stored; empty if nothing is
     */
    public <T> WriteEnd<T> ask(CommitResult commit, Throwable failure, Try<Optional<T>> question) {
        return commit.isInDoubt(failure) ? ask(failure, question) : WriteEnd.refused(failure);
    }

    /** Asks what became of a COMMIT that is in doubt. */
    public <T> WriteEnd<T> ask(Throwable failure, Try<Optional<T>> question) {
        try {
            return untilAnswered(question).map(WriteEnd::stored).orElseGet(() -> WriteEnd.refused(failure));
        } catch (LeaseLostException lost) {
            return WriteEnd.lost();
        } catch (Throwable queryFailure) {
            Suppression.add(failure, queryFailure);
            return WriteEnd.unknown(failure);
        }
    }

    /**
     * Works until the database answers, even if the thread is interrupted. After two Errors in a row the JVM can do nothing any more.
     *
     * @param work may be done twice
     * @throws Throwable the last failure
     */
    public <T> T untilAnswered(Try<T> work) throws Throwable {
        BackOffExecution pauses = backoff.start();
        PendingInterruption interruption = new PendingInterruption();
        long start = System.nanoTime();
        boolean isErrorBefore = false;
        try {
            while (true) {
                interruption.save();
                try {
                    return work.make();
                } catch (Throwable failure) {
                    long pause = TimeUnit.MILLISECONDS.toNanos(pauses.nextBackOff());
                    boolean isError = RepeatableFailure.isOfError(failure);
                    if (!RepeatableFailure.isForRequiredWork(failure)
                            || (isError && isErrorBefore)
                            || System.nanoTime() - start + pause > TIMEOUT.toNanos()) {
                        throw failure;
                    }
                    isErrorBefore = isError;
                    LockSupport.parkNanos(pause);
                }
            }
        } finally {
            interruption.restore();
        }
    }

    /** A message or a question, which may be made again. */
    @FunctionalInterface
    public interface Try<T extends @Nullable Object> {

        /** Returns the answer. */
        T make() throws Throwable;
    }

    /** Sends a message, perhaps several times. */
    @FunctionalInterface
    public interface Tries<T> {

        /** Returns the last answer. */
        T send(Try<T> message) throws Throwable;
    }

    /** The first failure of a write that may be stored nevertheless; {@code null} if there is none. */
    private static final class Doubt {

        private @Nullable Throwable failure;

        <T> T noting(Try<T> message, Predicate<T> isSettled) throws Throwable {
            try {
                T answer = message.make();
                if (isSettled.test(answer)) {
                    failure = null;
                }
                return answer;
            } catch (Throwable thrown) {
                if (failure == null && thrown instanceof TransactionSystemException && !SqlStates.isAnswer(thrown)) {
                    failure = thrown;
                }
                throw thrown;
            }
        }
    }
}
