package io.idempotency.sample.sql;

/**
 * A statement that ran, without the values of its parameters.
 *
 * @param text the SQL, on one line
 * @param milliseconds how long the server and the way to it took
 * @param succeeded whether there was no error
 */
public record RanStatement(String text, double milliseconds, boolean succeeded) {}
