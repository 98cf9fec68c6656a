package io.idempotency.internal.transaction;

import org.jspecify.annotations.Nullable;

import static java.util.Objects.requireNonNull;

/**
 * The end of a write, found by {@link CertainWrite}. Code decides by a switch expression over its kind, which does not compile without
 * one of them.
 *
 * @param <T> type of what is stored
 */
public final class WriteEnd<T> {

    private final Kind kind;

    private final @Nullable T stored;

    private final @Nullable Throwable failure;

    private WriteEnd(Kind kind, @Nullable T stored, @Nullable Throwable failure) {
        this.kind = kind;
        this.stored = stored;
        this.failure = failure;
    }

    /** Returns the end of a write that is stored. */
    public static <T> WriteEnd<T> stored(T stored) {
        return new WriteEnd<>(Kind.STORED, stored, null);
    }

    /** Returns the end of a write that is not stored, and will not be. */
    public static <T> WriteEnd<T> refused(Throwable failure) {
        return new WriteEnd<>(Kind.REFUSED, null, failure);
    }

    static <T> WriteEnd<T> lost() {
        return new WriteEnd<>(Kind.LOST, null, null);
    }

    static <T> WriteEnd<T> locked(Throwable failure) {
        return new WriteEnd<>(Kind.LOCKED, null, failure);
    }

    static <T> WriteEnd<T> unknown(Throwable failure) {
        return new WriteEnd<>(Kind.UNKNOWN, null, failure);
    }

    public Kind kind() {
        return kind;
    }

    /** Returns what is stored. Only a write of the kind STORED has it. */
    public T result() {
        return requireNonNull(stored);
    }

    /** Returns the first failure. A write that is stored or lost has none. */
    public Throwable failure() {
        return requireNonNull(failure);
    }

    /** The kinds of ends. */
    public enum Kind {
        STORED,

        /** It is not stored, and will not be. */
        REFUSED,

        /** Another one has taken the row over. */
        LOST,

        /** Another transaction has kept the row locked, which may take it over, or is one of an earlier try. */
        LOCKED,

        /** It may be stored. */
        UNKNOWN
    }
}
