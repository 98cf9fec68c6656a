package io.idempotency.internal.write;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.JdbcUpdateAffectedIncorrectNumberOfRowsException;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyOperations.Write;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.CallParts;
import io.idempotency.internal.call.attempt.Effect;
import io.idempotency.internal.call.attempt.TransactionalAttempt;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.claim.KeyedWrite.ExpectedRows;
import io.idempotency.internal.claim.KeyedWrite.Statement;

import static java.util.Objects.requireNonNull;

/** The write of a programmatic call. Its statements are checked when they are added. */
public final class WriteBuilder implements Write {

    private final CallParts parts;

    private final Runner runner;

    private final List<Statement> statements;

    /** Creates a write without statements. */
    public WriteBuilder(CallParts parts, Runner runner) {
        this(parts, runner, List.of());
    }

    private WriteBuilder(CallParts parts, Runner runner, List<Statement> statements) {
        this.parts = parts;
        this.runner = runner;
        this.statements = statements;
    }

    @Override
    public Write statement(String sql, Map<String, ? extends @Nullable Object> parameters) {
        return with(parts.store().statement(sql, parameters));
    }

    private WriteBuilder with(Statement statement) {
        List<Statement> changed = new ArrayList<>(statements);
        changed.add(statement);
        return new WriteBuilder(parts, runner, changed);
    }

    @Override
    public Write expectRows(long rows) {
        String sql = lastChange().sql();
        return expecting(new ExpectedRows(
                rows, changed -> new JdbcUpdateAffectedIncorrectNumberOfRowsException(sql, (int) rows, (int) changed)));
    }

    @Override
    public Write expectRows(long rows, Supplier<? extends RuntimeException> failure) {
        return expecting(new ExpectedRows(rows, changed -> failure.get()));
    }

    private Write expecting(ExpectedRows expected) {
        Statement last = lastChange();
        return new WriteBuilder(parts, runner, statements.subList(0, statements.size() - 1))
                .with(last.expecting(expected));
    }

    private Statement lastChange() {
        if (statements.isEmpty() || !last().changesRows()) {
            throw new IllegalArgumentException(
                    "expectRows belongs to the statement before it, which has to begin with INSERT,"
                            + " UPDATE, DELETE or MERGE");
        }
        return last();
    }

    private Statement last() {
        return statements.get(statements.size() - 1);
    }

    @Override
    public void run() {
        run(void.class, write(false, null));
    }

    @Override
    @SuppressWarnings("unchecked") // The response type is the type of T.
    public <T> @Nullable T respond(Class<T> responseType, T response) {
        return (T) run(responseType, write(false, response));
    }

    @Override
    @SuppressWarnings("unchecked") // The response type is the type of T.
    public <T> @Nullable T returnRow(Class<T> responseType) {
        if (!statements.isEmpty() && last().expected() != null) {
            throw new IllegalArgumentException(
                    "The statement that returns the response cannot have expectRows: it has to return one row");
        }
        return (T) run(responseType, write(true, null));
    }

    private KeyedWrite write(boolean returnsRow, @Nullable Object response) {
        if (statements.isEmpty()) {
            throw new IllegalArgumentException("A write has to have a statement");
        }
        return new KeyedWrite(statements, returnsRow, response);
    }

    private @Nullable Object run(Type responseType, KeyedWrite write) {
        return runner.run(
                responseType,
                () -> executeClaimed(responseType, write),
                execution -> WriteAttempt.first(execution, write));
    }

    /** Executes the statements as the method of their call, whose key was claimed in the same transaction. */
    private @Nullable Object executeClaimed(Type responseType, KeyedWrite write) {
        String row = parts.transactions()
                .onOpenConnection((connection, holder) -> parts.store()
                        .write(connection, write, holder.hasTimeout() ? holder.getTimeToLiveInSeconds() : 0));
        return write.returnsRow()
                ? parts.responses().read(IdempotencyContext.current().intent(), requireNonNull(row), responseType)
                : write.response();
    }

    /** Makes the call of a write. */
    @FunctionalInterface
    public interface Runner {

        /** Returns the response, or the stored one. */
        @Nullable Object run(Type responseType, Effect effect, Function<CallExecution, TransactionalAttempt> firstAttempt);
    }
}
