package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;

import io.idempotency.internal.backoff.Backoff;

/** The rule for messages and calls that this version of the application cannot read: they are left to another, and are no attempt. */
public final class OtherVersions {

    /** The time for which a message that nobody can read is due without an attempt. */
    static final Duration PATIENCE = Duration.ofHours(1);

    /** Another instance may find it at once when the pause ends. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final Backoff backoff;

    private final Logger logger;

    private final String advice;

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    /**
     * Creates the rule.
     *
     * @param backoff the shortest and the longest pause; none is longer than a minute
     * @param advice what else a reader of the log may do
     */
    public OtherVersions(Backoff backoff, Logger logger, String advice) {
        this.backoff = backoff.atMost(LONGEST_PAUSE);
        this.logger = logger;
        this.advice = advice;
    }

    /**
     * Writes a WARN, once for each name, and returns the pause until the next try: as long as it has waited already.
     *
     * @param name the topic or scope
     */
    public Duration leave(String name, Duration waited, OtherVersionException problem) {
        if (warned.add(name)) {
            logger.warn(
                    "{}. It is no attempt, and is tried again at least every {}: let an instance of the version that has stored"
                            + " it run, deploy code that reads it, or {}. Others of '{}' are not logged",
                    problem.getMessage(),
                    backoff.maxDelay(),
                    advice,
                    name,
                    problem);
        }
        Duration pause = waited.compareTo(backoff.delay()) < 0 ? backoff.delay() : waited;
        return pause.compareTo(backoff.maxDelay()) < 0 ? pause : backoff.maxDelay();
    }
}
