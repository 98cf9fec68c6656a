package io.idempotency.sample.sql;

/** Is told of every statement that the application runs, and of the end of each of its transactions. */
@FunctionalInterface
public interface StatementListener {

    /**
     * A statement ran. Called on its thread, inside of its transaction: it must be quick, must not throw, and must not use
     * the database.
     *
     * @param statement the statement
     */
    void ran(RanStatement statement);
}
