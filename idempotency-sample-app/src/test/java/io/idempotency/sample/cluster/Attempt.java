package io.idempotency.sample.cluster;

import java.time.Instant;

/**
 * One request of a client.
 *
 * @param number in its history
 * @param instance that was asked
 * @param end {@code null} as long as it is on its way
 */
record Attempt(long number, int client, Command command, String instance, Instant start, Instant end, Outcome outcome) {

    Attempt met(Outcome met, Instant at) {
        return new Attempt(number, client, command, instance, start, at, met);
    }
}
