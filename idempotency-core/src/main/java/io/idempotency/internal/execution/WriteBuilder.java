package io.idempotency.internal.execution;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.JdbcUpdateAffectedIncorrectNumberOfRowsException;

import io.idempotency.IdempotencyOperations.Write;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.claim.KeyedWrite.ExpectedRows;
import io.idempotency.internal.claim.KeyedWrite.Statement;
import io.idempotency.internal.claim.WriteStore;

/** The write of a programmatic call. Its statements are checked when they are added. */
final class WriteBuilder implements Write {

    private final WriteStore store;

    private final Runner runner;

    private final List<Statement> statements;

    WriteBuilder(WriteStore store, Runner runner, List<Statement> statements) {
        this.store = store;
        this.runner = runner;
        this.statements = statements;
    }

    @Override
    public Write statement(String sql, Map<String, ? extends @Nullable Object> parameters) {
        return with(store.statement(sql, parameters));
    }

    private WriteBuilder with(Statement statement) {
        List<Statement> changed = new ArrayList<>(statements);
        changed.add(statement);
        return new WriteBuilder(store, runner, changed);
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
        return new WriteBuilder(store, runner, statements.subList(0, statements.size() - 1))
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
        runner.run(write(false, null), void.class);
    }

    @Override
    @SuppressWarnings("unchecked") // The response type is that of T.
    public <T> @Nullable T respond(Class<T> responseType, T response) {
        return (T) runner.run(write(false, response), responseType);
    }

    @Override
    @SuppressWarnings("unchecked") // The response type is that of T.
    public <T> @Nullable T returnRow(Class<T> responseType) {
        if (!statements.isEmpty() && last().expected() != null) {
            throw new IllegalArgumentException(
                    "The statement that returns the response cannot have expectRows: it has to return one row");
        }
        return (T) runner.run(write(true, null), responseType);
    }

    private KeyedWrite write(boolean returnsRow, @Nullable Object response) {
        if (statements.isEmpty()) {
            throw new IllegalArgumentException("A write has to have a statement");
        }
        return new KeyedWrite(statements, returnsRow, response);
    }

    /** Makes the call of a write. */
    @FunctionalInterface
    interface Runner {

        @Nullable Object run(KeyedWrite write, Type responseType);
    }
}
