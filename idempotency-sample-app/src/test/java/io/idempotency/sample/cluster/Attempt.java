package io.idempotency.sample.cluster;

import java.time.Instant;

/**
 * One request of a client.
 *
 * @param number in its history
 * @param instance that was asked
 * @param end {@code null} as long as it is on its way
 * @param replayed whether the answer says that it is the answer of an earlier attempt
 */
record Attempt(
        long number,
        int client,
        Command command,
        String instance,
        Instant start,
        Instant end,
        Outcome outcome,
        boolean replayed) {

    Attempt met(Answer answer, Instant at) {
        return new Attempt(number, client, command, instance, start, at, answer.outcome(), answer.replayed());
    }
}
