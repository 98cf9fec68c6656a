package io.idempotency;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The queries and interventions of operators. Every intervention needs a reason and is logged with it. It runs in a new
 * transaction, and never changes a request whose lease has not expired.
 *
 * <p>Each query and each intervention is cancelled after five seconds. Spring then throws a
 * {@code QueryTimeoutException}, and nothing has changed. Queries run in read-only transactions.
 */
public interface IdempotencyAdministration {

    /** The highest limit of one query, in rows. */
    int MAX_ROWS = 1_000;

    /**
     * Finds the request of one intent.
     *
     * @param intent scope, caller and key
     * @return the stored request; empty if none is stored
     */
    Optional<IdempotencyRecord> find(Intent intent);

    /**
     * Finds the response that repeats of an intent get.
     *
     * @param intent scope, caller and key
     * @return JSON text, {@code null} in JSON for a method without a result; empty if none is stored
     */
    Optional<String> findResponse(Intent intent);

    /**
     * Searches requests, the newest claim first. Reads the whole table: only scope, caller and key together have an
     * index.
     *
     * @param scope scope to search; {@code null} for all
     * @param caller caller to search, empty for requests of nobody; {@code null} for all
     * @param key key to search; {@code null} for all
     * @param status status to search; {@code null} for all
     * @param limit most rows to return, 1 to {@value #MAX_ROWS}
     * @return the matching requests
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<IdempotencyRecord> search(
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable RequestStatus status,
            int limit);

    /**
     * Finds requests whose lease has expired and that were not reclaimed. It is not known whether their effect
     * happened. The next call with their key reclaims them.
     *
     * @param limit most rows to return, 1 to {@value #MAX_ROWS}
     * @return the requests, in the order in which their leases expired
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<IdempotencyRecord> findStaleLeases(int limit);

    /**
     * Finds requests whose method ended its transaction itself, in the middle of the call, and those that instances have given
     * up ({@link Idempotent#resume()}). It is not known whether their effect is complete, and no call reclaims them. Reads the
     * whole table.
     *
     * @param limit most rows to return, 1 to {@value #MAX_ROWS}
     * @return the oldest first
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<IdempotencyRecord> findAbandoned(int limit);

    /**
     * Finds leased calls that have failed after recorded steps, and were not called again since. What their steps have done outside
     * of PostgreSQL remains.
     *
     * @param limit most rows to return, 1 to {@value #MAX_ROWS}
     * @return the requests, those that failed first at the beginning
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<IdempotencyRecord> findHalfDone(int limit);

    /**
     * Finds requests with many attempts. Reads the whole table.
     *
     * @param attempts least number of attempts, from 1
     * @param limit most rows to return, 1 to {@value #MAX_ROWS}
     * @return the requests, the most attempts first
     * @throws IllegalArgumentException if the number of attempts or the limit is out of range
     */
    List<IdempotencyRecord> findWithAttempts(int attempts, int limit);

    /**
     * Releases a stale request, so that the next call runs. Use it if the effect did not happen. If it has recorded steps, the next
     * call goes on with them, and its payload remains the same. If its method has {@link Idempotent#resume()}, its payload remains
     * the same, too, and an instance makes the next call.
     *
     * @param intent the stale request
     * @param reason name of the operator and reason
     * @throws InterventionRefusedException if the request is not stale
     */
    void releaseStale(Intent intent, Reason reason);

    /**
     * Completes a stale request. Use it if the effect did happen. If its holder is still running, the holder cannot
     * complete any more.
     *
     * @param intent the stale request
     * @param responseBody response for every repeat, as JSON text; {@code null} in JSON for a method without a result.
     *     It is read as the method's type only when it is replayed
     * @param reason name of the operator and reason
     * @throws IllegalArgumentException if the response body is not JSON; nothing has changed then
     * @throws InterventionRefusedException if the request is not stale
     */
    void completeStale(Intent intent, String responseBody, Reason reason);

    /**
     * Finds the steps that the attempts at a leased call have recorded.
     *
     * @param intent scope, caller and key
     * @return the steps, in the order in which they were recorded; empty if there are none
     */
    List<StepRecord> findSteps(Intent intent);

    /**
     * Deletes the record of a step and those after it, so that the next call runs them again. Use it if what they have done does
     * not count any more, and for a step that the code does not have any more. If the holder of an expired lease is still
     * running, it may be within that step, and cannot record it any more. If the method has {@link Idempotent#resume()}, an
     * instance makes the next call.
     *
     * @param intent a request that has failed, finally or not, or is stale
     * @param step name of the first step to run again
     * @param reason name of the operator and reason
     * @throws InterventionRefusedException if the request has not failed and is not stale, or has not recorded the step
     */
    void retryFrom(Intent intent, String step, Reason reason);

    /**
     * Deletes the request of an intent in any state, so that the next call runs.
     *
     * @param intent scope, caller and key
     * @param reason name of the operator and reason
     * @throws InterventionRefusedException if no request is stored, or an active lease holds it
     */
    void forget(Intent intent, Reason reason);

    /**
     * Finds statements on the library's tables that wait for other transactions. The key that they wait for is not known,
     * because the claims of a running transaction are not visible before its commit.
     *
     * @param limit most waits to return, 1 to {@value #MAX_ROWS}
     * @return the waiting statements and the backends that they wait for
     * @throws IllegalArgumentException if the limit is out of range
     */
    BlockedClaims findBlockedClaims(int limit);

    /**
     * The operator and the reason of an intervention.
     *
     * @param who name of the operator, 1 to {@value Reason#MAX_WHO_LENGTH} printable characters
     * @param why reason, 1 to {@value Reason#MAX_WHY_LENGTH} printable characters
     */
    record Reason(String who, String why) {

        /** The longest name, in characters. */
        public static final int MAX_WHO_LENGTH = 128;

        /** The longest explanation, in characters. */
        public static final int MAX_WHY_LENGTH = 800;

        /**
         * Checks that both texts are present and fit in one line of a log.
         *
         * @throws IllegalArgumentException if one of them is blank, too long or not printable
         */
        public Reason {
            require("who does it", who, MAX_WHO_LENGTH);
            require("why", why, MAX_WHY_LENGTH);
        }

        private static void require(String what, String text, int maxLength) {
            PrintableText.findProblem(text, 1, maxLength).ifPresent(problem -> {
                throw new IllegalArgumentException(
                        "An intervention needs to say " + what + ", but what it says " + problem);
            });
        }
    }
}
