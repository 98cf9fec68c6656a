package io.idempotency.boot.interleaving;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a step leaves for others, and takes from them. If two steps of two actors commute, both orders end in the same state, and one
 * of them is enough.
 *
 * <p>Statements see what was committed before they began, and wait for rows that were written by others. So a query sees no statement
 * of an open transaction, two queries do not see each other, and two ends of transactions do not either. That is true up to REPEATABLE
 * READ, whose snapshot is taken by the first statement; in a SERIALIZABLE transaction a query is no less than a write.
 */
enum Footprint {
    /** Reaches no row that anybody else could see or wait for. */
    LOCAL,

    /** Sees what was committed. */
    READ,

    /** Writes in an open transaction, or waits for another one that does. */
    WRITE,

    /** Shows all that a transaction has written, or nothing of it, and lets go of its locks. */
    END,

    /** Anything. */
    UNKNOWN;

    private static final String LIBRARY = "idempotency";

    /** A table without constraints, of which no transaction reads anything. */
    private static final String EFFECT = "insert into purchase ";

    private static final Pattern WRITES =
            Pattern.compile("\\b(insert|update|delete|merge|call|share|lock|\\w*advisory\\w*)\\b");

    private static final Pattern ENDS_OR_CALLS = Pattern.compile("\\b(commit|rollback)\\b|idempotency\"?\\.\\w+\\(");

    /**
     * Returns the footprint of a statement.
     *
     * @param isFirst whether it begins a transaction, and takes its snapshot
     * @param isAlone whether its transaction ends with it
     */
    static Footprint of(String sql, boolean isFirst, boolean isAlone) {
        String text = sql.strip().toLowerCase(Locale.ROOT);
        if (text.startsWith(EFFECT) && !isAlone) {
            return isFirst ? READ : LOCAL;
        }
        if (!text.contains(LIBRARY) || ENDS_OR_CALLS.matcher(text).find()) {
            return UNKNOWN;
        }
        if (WRITES.matcher(text).find()) {
            return isAlone ? UNKNOWN : WRITE;
        }
        return text.startsWith("select") ? READ : UNKNOWN;
    }

    boolean commutesWith(Footprint other) {
        if (this == UNKNOWN || other == UNKNOWN) {
            return false;
        }
        if (this == LOCAL || other == LOCAL || (this == END && other == END)) {
            return true;
        }
        return this == READ ? other == READ || other == WRITE : this == WRITE && other == READ;
    }
}
