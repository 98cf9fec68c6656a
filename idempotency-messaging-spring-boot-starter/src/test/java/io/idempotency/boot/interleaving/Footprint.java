package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The effect of a step on others, and of others on it. If two steps of two actors commute, both orders end in the same state, and one
 * of them is enough.
 *
 * <p>Statements see what was committed before they began, and wait for rows that open transactions have written. So a query sees
 * nothing of an open transaction, nor of one that is undone, and two queries do not see each other. That is true up to REPEATABLE READ,
 * whose snapshot is taken by the first statement; in a SERIALIZABLE transaction a query is no less than a write.
 */
enum Footprint {
    /** Reaches no row that anybody else could see or wait for. */
    LOCAL,

    /** Sees what was committed. */
    READ,

    /** Writes in an open transaction, or waits for another one that does. */
    WRITE,

    /** Shows what a transaction has written, and lets go of its locks. */
    COMMIT,

    /** Lets go of the locks of a transaction of which nobody has seen anything. */
    UNDO,

    /** Anything. */
    UNKNOWN;

    private static final String LIBRARY = "idempotency";

    /** A table without constraints, of which no transaction reads anything. */
    private static final String EFFECT = "insert into purchase ";

    /** A function of the library may write, but not end its transaction. */
    private static final Pattern WRITES = Pattern.compile(
            "\\b(insert|update|delete|merge|call|share|lock|\\w*advisory\\w*)\\b" + "|idempotency\"?\\.\\w+\\(");

    private static final Pattern ENDS = Pattern.compile("\\b(commit|rollback)\\b");

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
        if (!text.contains(LIBRARY) || ENDS.matcher(text).find()) {
            return UNKNOWN;
        }
        if (WRITES.matcher(text).find()) {
            return isAlone ? UNKNOWN : WRITE;
        }
        return text.startsWith("select") ? READ : UNKNOWN;
    }

    boolean commutesWith(Footprint other) {
        return swappable().contains(other) || other.swappable().contains(this);
    }

    /** Returns those that this commutes with; a pair is in the set of one of the two at least. */
    private Set<Footprint> swappable() {
        return switch (this) {
            case LOCAL -> EnumSet.complementOf(EnumSet.of(UNKNOWN));
            case READ -> EnumSet.of(READ, WRITE, UNDO);
            case COMMIT, UNDO -> EnumSet.of(COMMIT, UNDO);
            case WRITE, UNKNOWN -> EnumSet.noneOf(Footprint.class);
        };
    }
}
