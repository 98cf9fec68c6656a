package io.idempotency.boot.logging;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** A builder of one line of the log. */
public final class LogLine {

    private LoggingEventBuilder builder;

    private LogLine(LoggingEventBuilder builder) {
        this.builder = builder;
    }

    /** Begins a line without values. */
    public static LogLine at(Logger logger, Level level) {
        return new LogLine(logger.atLevel(level));
    }

    /** Adds a value unless it is {@code null}. */
    public LogLine add(String key, @Nullable Object value) {
        if (value != null) {
            builder = builder.addKeyValue(key, value);
        }
        return this;
    }

    /** Adds the class of a failure only: its message is for the caller and may name a key. */
    public LogLine add(@Nullable Throwable failure) {
        return failure == null ? this : add("exception", failure.getClass().getName());
    }

    /** Logs the line with a text that has a placeholder for each argument. */
    public void log(String text, Object... arguments) {
        builder.log(text, arguments);
    }

    /** Describes an execution that is repeated. The SQLSTATE is {@code null} if none was reported. */
    public static String retried(int execution, @Nullable String sqlState) {
        return "execution " + execution
                + (sqlState == null ? " lost its connection" : " failed with SQLSTATE " + sqlState);
    }
}
