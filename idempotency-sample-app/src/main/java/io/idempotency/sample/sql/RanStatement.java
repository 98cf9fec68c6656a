package io.idempotency.sample.sql;

import org.jspecify.annotations.Nullable;

/**
 * A statement that ran, without the values of its parameters, or the end of a transaction.
 *
 * @param text the SQL, on one line; {@code COMMIT} or {@code ROLLBACK} at the end of a transaction
 * @param milliseconds how long the server and the way to it took
 * @param succeeded whether there was no error
 * @param transaction the transaction that it was part of; {@code null} if it was one by itself
 */
public record RanStatement(
        String text,
        double milliseconds,
        boolean succeeded,
        @Nullable Long transaction) {

    static final String COMMIT = "COMMIT";

    static final String ROLLBACK = "ROLLBACK";

    /** Whether a transaction was over with it, well or not. */
    public boolean endsTransaction() {
        return text.equals(COMMIT) || text.equals(ROLLBACK);
    }
}
