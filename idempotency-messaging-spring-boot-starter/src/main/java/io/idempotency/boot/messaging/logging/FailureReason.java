package io.idempotency.boot.messaging.logging;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import io.idempotency.IdempotencyException;

/**
 * The reason of a failure, for a line of the log.
 *
 * @param text the class and, unless it may quote values, the message of the exception, in one line
 * @param quotesValues whether the messages of the exception may quote rows, payloads or keys
 */
record FailureReason(String text, boolean quotesValues) {

    private static final int MAX_LENGTH = 300;

    /** A chain of causes may have a cycle. */
    private static final int MAX_CAUSES = 20;

    static FailureReason of(Throwable failure) {
        String type = failure.getClass().getName();
        Throwable quoting = findQuoting(failure);
        if (quoting == null) {
            return new FailureReason(cut(describe(failure)), false);
        }
        if (quoting instanceof SQLException sql) {
            return new FailureReason(type + " (SQLSTATE " + sql.getSQLState() + ")", true);
        }
        return new FailureReason(
                quoting == failure ? type : type + " (" + quoting.getClass().getName() + ")", true);
    }

    /** Searches the causes, too: wrappers of such an exception often repeat its message. */
    private static @Nullable Throwable findQuoting(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof SQLException
                    || cause instanceof JacksonException
                    || cause instanceof IdempotencyException) {
                return cause;
            }
            cause = cause.getCause();
        }
        return null;
    }

    /** Catches exceptions, because {@code getMessage} may fail. */
    private static String describe(Throwable failure) {
        try {
            return String.valueOf(failure);
        } catch (RuntimeException unreadable) {
            return failure.getClass().getName();
        }
    }

    private static String cut(String text) {
        String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ");
        return line.codePointCount(0, line.length()) <= MAX_LENGTH
                ? line
                : line.substring(0, line.offsetByCodePoints(0, MAX_LENGTH)) + "...";
    }
}
