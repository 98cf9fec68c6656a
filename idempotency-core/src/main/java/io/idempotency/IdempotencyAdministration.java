package io.idempotency;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * What operators can see and do. Every write needs a reason, is logged with it, and never touches a lease that has not
 * expired; each is a transaction of its own.
 *
 * <p>No question and no write keeps the database busy for longer than five seconds: after that it is cancelled, which Spring
 * reports as {@code QueryTimeoutException}, and nothing has changed. Questions are asked in read-only transactions.
 */
public interface IdempotencyAdministration {

    /** The most rows that one question returns. */
    int MAX_ROWS = 1_000;

    /**
     * Looks at one intent.
     *
     * @param intent scope, caller and key
     * @return what is stored for it
     */
    Optional<IdempotencyRecord> find(Intent intent);

    /**
     * Reads the response that repeats of an intent get.
     *
     * @param intent scope, caller and key
     * @return JSON text, {@code null} in JSON for a method without a result; empty if none is stored
     */
    Optional<String> findResponse(Intent intent);

    /**
     * Looks for rows, the newest claim first. Reads the whole table: only scope, caller and key together have an index.
     *
     * @param scope only of this scope; {@code null} for all
     * @param key only of this key, whoever the caller is; {@code null} for all
     * @param status only in this state; {@code null} for all
     * @param limit 1 to {@value #MAX_ROWS} rows at most
     * @return what was found
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<IdempotencyRecord> search(
            @Nullable String scope, @Nullable String key, @Nullable RequestStatus status, int limit);

    /**
     * Leases that have expired and were not taken over. Whether their effect happened is not known; the next call with
     * their key takes them over.
     *
     * @param limit 1 to {@value #MAX_ROWS} rows at most
     * @return the one that expired first comes first
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<IdempotencyRecord> findStaleLeases(int limit);

    /**
     * Requests whose method ended its transaction itself, in the middle of the call. Whether their effect is whole is not
     * known, and no call takes them over. Reads the whole table.
     *
     * @param limit 1 to {@value #MAX_ROWS} rows at most
     * @return the oldest first
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<IdempotencyRecord> findAbandoned(int limit);

    /**
     * Requests that have been attempted again and again. Reads the whole table.
     *
     * @param attempts at least so many, from 1
     * @param limit 1 to {@value #MAX_ROWS} rows at most
     * @return the most attempts first
     * @throws IllegalArgumentException if the number of attempts or the limit is out of range
     */
    List<IdempotencyRecord> findWithAttempts(int attempts, int limit);

    /**
     * Lets the next call run, after it was found out that the effect of a stale request did not happen.
     *
     * @param intent the stale request
     * @param reason who does it and why
     * @throws InterventionRefusedException if the request is not stale
     */
    void releaseStale(Intent intent, Reason reason);

    /**
     * Completes a stale request, after it was found out that its effect did happen. Should its holder still be running,
     * then it cannot complete any more.
     *
     * @param intent the stale request
     * @param responseBody what every repeat is to get, as JSON text; {@code null} in JSON for a method without a result.
     *     Whether it can be read as the method's type shows only when it is replayed
     * @param reason who does it and why
     * @throws IllegalArgumentException if the response body is not JSON; nothing has changed then
     * @throws InterventionRefusedException if the request is not stale
     */
    void completeStale(Intent intent, String responseBody, Reason reason);

    /**
     * Deletes what is stored for an intent, whatever became of it: the next call runs.
     *
     * @param intent scope, caller and key
     * @param reason who does it and why
     * @throws InterventionRefusedException if there is none, or an active lease holds it
     */
    void forget(Intent intent, Reason reason);

    /**
     * Looks at which statements on keys and handled messages wait for other transactions. What a running transaction has claimed
     * is visible to nobody else before its commit, and whose key it is that they wait for cannot be told.
     *
     * @param limit 1 to {@value #MAX_ROWS} waits at most
     * @return who waits for whom
     * @throws IllegalArgumentException if the limit is out of range
     */
    BlockedClaims findBlockedClaims(int limit);

    /**
     * Looks at one message.
     *
     * @param consumer who received it
     * @param messageId the message
     * @return when it was handled; empty if it was not, or is forgotten
     */
    Optional<HandledMessage> findHandledMessage(String consumer, String messageId);

    /**
     * Received messages whose deliveries have failed and that were not handled since. Reads the whole table, which is small
     * unless much is failing.
     *
     * @param limit 1 to {@value #MAX_ROWS} rows at most
     * @return the most attempts first
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<FailingMessage> findFailingMessages(int limit);

    /**
     * Messages of the outbox that are not sent yet. Reads all of them, by an index.
     *
     * @param limit 1 to {@value #MAX_ROWS} rows at most
     * @return in the order of publishing
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<PendingMessage> findPendingMessages(int limit);

    /**
     * Messages of the outbox that are given up.
     *
     * @param limit 1 to {@value #MAX_ROWS} rows at most
     * @return the oldest first
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<DeadMessage> findDeadMessages(int limit);

    /**
     * Sends a message again that was given up, with the same id and with all its attempts. Later messages of its ordering key
     * may have been sent already; those that were not wait for it.
     *
     * @param messageId the dead message
     * @param reason who does it and why
     * @throws InterventionRefusedException if there is no dead message with that id
     */
    void requeue(UUID messageId, Reason reason);

    /**
     * Who does something, and why.
     *
     * @param who a name that others can ask, 1 to {@value Reason#MAX_WHO_LENGTH} printable characters
     * @param why what was found out, 1 to {@value Reason#MAX_WHY_LENGTH} printable characters
     */
    record Reason(String who, String why) {

        /** The longest name, in characters. */
        public static final int MAX_WHO_LENGTH = 128;

        /** The longest explanation, in characters. */
        public static final int MAX_WHY_LENGTH = 800;

        /**
         * Checks that neither is missing, and that each is one line in a log.
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
