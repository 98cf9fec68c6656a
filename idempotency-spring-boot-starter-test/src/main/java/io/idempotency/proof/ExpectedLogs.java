package io.idempotency.proof;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggingSystem;

/** Silences what libraries log of each fault, with its stack trace: thousands of lines that nobody has to read. */
final class ExpectedLogs {

    private static final List<String> LOGGERS = List.of(
            "com.zaxxer.hikari.pool",
            "io.idempotency",
            "org.hibernate.orm.jdbc",
            "org.springframework.jdbc",
            "org.springframework.orm",
            "org.springframework.transaction");

    private final LoggingSystem logging = LoggingSystem.get(ExpectedLogs.class.getClassLoader());

    private final Map<String, @Nullable LogLevel> levels = new HashMap<>();

    private ExpectedLogs() {}

    static ExpectedLogs silence() {
        ExpectedLogs logs = new ExpectedLogs();
        for (String logger : LOGGERS) {
            LoggerConfiguration configured = logs.logging.getLoggerConfiguration(logger);
            logs.levels.put(logger, configured == null ? null : configured.getConfiguredLevel());
            logs.logging.setLogLevel(logger, LogLevel.OFF);
        }
        return logs;
    }

    void restore() {
        levels.forEach(logging::setLogLevel);
    }
}
