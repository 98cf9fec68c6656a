package io.idempotency.internal.claim;

import java.time.temporal.Temporal;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.function.LongFunction;

import org.jspecify.annotations.Nullable;

/**
 * The statements of a write, and where its response comes from.
 *
 * @param returnsRow whether the response is the row of the last statement
 * @param response the response if it is known before; {@code null} if it is a row, or there is none
 */
public record KeyedWrite(
        List<Statement> statements,
        boolean returnsRow,
        @Nullable Object response) {

    /** The number of characters that fits into the buffers of any connection, of which each has at most three bytes. */
    private static final int LARGEST_REST = 20_000;

    private static final List<Class<?>> SIZED = List.of(
            CharSequence.class,
            Number.class,
            UUID.class,
            Temporal.class,
            Date.class,
            Boolean.class,
            Character.class,
            Enum.class);

    /** Copies the statements. */
    public KeyedWrite {
        statements = List.copyOf(statements);
    }

    /** Returns whether the row of a statement is the response. */
    public boolean isResponse(int index) {
        return returnsRow && index == statements.size() - 1;
    }

    /**
     * Returns whether all statements may be sent before any result is read. If a statement has many rows and a later one is
     * large, PostgreSQL waits for its rows to be read while the driver waits for PostgreSQL to read the later one.
     *
     * @return {@code true} if the statements after the first one are small
     */
    public boolean fitsIntoOneMessage() {
        long size = 0;
        for (Statement statement : statements.subList(Math.min(1, statements.size()), statements.size())) {
            size += statement.sql().length() + sizeOf(statement.values());
        }
        return size <= LARGEST_REST;
    }

    private static long sizeOf(@Nullable Object value) {
        if (value instanceof Iterable<?> elements) {
            long size = 0;
            for (Object element : elements) {
                size += sizeOf(element);
            }
            return size;
        }
        if (value instanceof Object[] elements) {
            return sizeOf(Arrays.asList(elements));
        }
        if (value instanceof byte[] bytes) {
            return bytes.length;
        }
        // Streams and what the driver alone knows may be of any size.
        return value == null || SIZED.stream().anyMatch(type -> type.isInstance(value))
                ? String.valueOf(value).length()
                : LARGEST_REST + 1L;
    }

    /**
     * One statement.
     *
     * @param changesRows whether it is an INSERT, UPDATE, DELETE or MERGE
     * @param expected the number of rows that it must change; {@code null} for any
     */
    public record Statement(
            String sql,
            List<? extends @Nullable Object> values,
            boolean changesRows,
            @Nullable ExpectedRows expected) {

        /** Sets the number of rows that the statement must change. */
        public Statement expecting(ExpectedRows rows) {
            return new Statement(sql, values, changesRows, rows);
        }
    }

    /**
     * The number of rows that a statement must change.
     *
     * @param failure creates the exception that the caller gets otherwise, from the number that was changed
     */
    public record ExpectedRows(long rows, LongFunction<? extends RuntimeException> failure) {}
}
