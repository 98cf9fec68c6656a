package io.idempotency.sample.demo;

import java.util.UUID;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

import io.idempotency.sample.sql.RanStatement;
import io.idempotency.sample.sql.StatementListener;

import static java.util.regex.Pattern.CASE_INSENSITIVE;

/** Shows the statements of attempts, and behind them what sends and handles messages. */
@Component
class ShownStatements implements StatementListener {

    private static final Pattern WRITES =
            Pattern.compile("\\binsert into\\b|\\bdelete from\\b|^update\\b", CASE_INSENSITIVE);

    private final CurrentAttempt current;

    private final EventStream stream;

    ShownStatements(CurrentAttempt current, EventStream stream) {
        this.current = current;
        this.stream = stream;
    }

    /** What only looks for messages is run all the time, so behind attempts it shows the statements that write. */
    @Override
    public void ran(RanStatement statement) {
        if (stream.isWatched()) {
            current.find().ifPresentOrElse(attempt -> publish(attempt.run().id(), attempt.number(), statement), () -> {
                if (WRITES.matcher(statement.text()).find()) {
                    publish(null, null, statement);
                }
            });
        }
    }

    private void publish(@Nullable UUID runId, @Nullable Integer attempt, RanStatement statement) {
        stream.publish(
                "sql", new Line(runId, attempt, statement.text(), statement.milliseconds(), statement.succeeded()));
    }

    /**
     * A statement of an attempt, or of none.
     *
     * @param runId the run; {@code null} if it was none of an attempt
     * @param attempt the number in the run; {@code null} likewise
     * @param text the SQL
     * @param milliseconds how long it took
     * @param succeeded whether there was no error
     */
    record Line(@Nullable UUID runId, @Nullable Integer attempt, String text, double milliseconds, boolean succeeded) {}
}
