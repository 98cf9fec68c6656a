package io.idempotency.boot.logging;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** A builder of one line of the log. */
final class LogLine {

    private LoggingEventBuilder builder;

    private LogLine(LoggingEventBuilder builder) {
        this.builder = builder;
    }

    static LogLine at(Logger logger, Level level) {
        return new LogLine(logger.atLevel(level));
    }

    /** Adds the value unless it is {@code null}. */
    LogLine add(String key, @Nullable Object value) {
        if (value != null) {
            builder = builder.addKeyValue(key, value);
        }
        return this;
    }

    /** Adds the class of the failure only: its message is for the caller and may name a key. */
    LogLine add(@Nullable Throwable failure) {
        return failure == null ? this : add("exception", failure.getClass().getName());
    }

    void log(String text, Object... arguments) {
        builder.log(text, arguments);
    }
}
