package io.idempotency.sample.demo;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
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

    private final Set<Long> shownTransactions = ConcurrentHashMap.newKeySet();

    private final CurrentAttempt current;

    private final EventStream stream;

    ShownStatements(CurrentAttempt current, EventStream stream) {
        this.current = current;
        this.stream = stream;
    }

    @Override
    public void ran(RanStatement statement) {
        if (stream.isWatched()) {
            Attempt attempt = current.find().orElse(null);
            if (isShown(attempt, statement)) {
                publish(
                        attempt == null ? null : attempt.run().id(),
                        attempt == null ? null : attempt.number(),
                        statement);
            }
        } else {
            shownTransactions.clear();
        }
    }

    /**
     * What only looks for messages is run all the time, so behind attempts it shows the statements that write. Of
     * transactions without a shown statement it shows no end either.
     */
    private boolean isShown(@Nullable Attempt attempt, RanStatement statement) {
        Long transaction = statement.transaction();
        if (transaction != null && statement.endsTransaction()) {
            return shownTransactions.remove(transaction);
        }
        boolean shown = attempt != null || WRITES.matcher(statement.text()).find();
        if (shown && transaction != null) {
            shownTransactions.add(transaction);
        }
        return shown;
    }

    private void publish(@Nullable UUID runId, @Nullable Integer attempt, RanStatement statement) {
        stream.publish(
                "sql",
                new Line(
                        runId,
                        attempt,
                        statement.text(),
                        statement.milliseconds(),
                        statement.succeeded(),
                        statement.transaction()));
    }

    /**
     * A statement of an attempt, or of none.
     *
     * @param runId the run; {@code null} if it was none of an attempt
     * @param attempt the number in the run; {@code null} likewise
     * @param text the SQL
     * @param milliseconds how long it took
     * @param succeeded whether there was no error
     * @param transaction the transaction that it was part of; {@code null} if it was one by itself
     */
    record Line(
            @Nullable UUID runId,
            @Nullable Integer attempt,
            String text,
            double milliseconds,
            boolean succeeded,
            @Nullable Long transaction) {}
}
