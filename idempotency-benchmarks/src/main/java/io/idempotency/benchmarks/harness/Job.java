package io.idempotency.benchmarks.harness;

import java.util.Locale;

/** Contenders that are compared with each other. */
public enum Job {
    /** Calls with a new key. */
    NEW_KEY,

    /** Calls with a key that was used before. */
    REPEATED_KEY,

    /** Calls with a key that was used before, and that this instance has not seen lately. */
    UNSEEN_KEY,

    /** Leased calls with steps. */
    STEPS,

    /** Batches of new messages. */
    INBOX_BATCH,

    /** What the outbox's relay sends. */
    RELAY;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
