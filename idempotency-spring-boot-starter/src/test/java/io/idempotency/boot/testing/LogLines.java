package io.idempotency.boot.testing;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/** Everything that a logger is told, at any level. Not before the application runs, which sets logging up anew. */
public final class LogLines implements AutoCloseable {

    private final Logger logger;

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private LogLines(Logger logger) {
        this.logger = logger;
    }

    public static LogLines of(String loggerName) {
        LogLines all = new LogLines((Logger) LoggerFactory.getLogger(loggerName));
        all.lines.start();
        all.logger.addAppender(all.lines);
        all.logger.setLevel(Level.DEBUG);
        return all;
    }

    public void setLevel(Level level) {
        logger.setLevel(level);
    }

    public List<ILoggingEvent> all() {
        return List.copyOf(lines.list);
    }

    /** Each with its level in front. */
    public List<String> texts() {
        return all().stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    public static Map<String, Object> pairsOf(ILoggingEvent line) {
        Map<String, Object> pairs = new TreeMap<>();
        line.getKeyValuePairs().forEach(pair -> pairs.put(pair.key, pair.value));
        return pairs;
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }
}
