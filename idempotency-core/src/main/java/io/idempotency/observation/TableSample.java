package io.idempotency.observation;

import java.time.Duration;

/**
 * A sample of one of the library's tables.
 *
 * @param table name of the table, without its schema
 * @param rows number of rows, as estimated by PostgreSQL's statistics
 * @param oldestExpired time since the expiry of the oldest row that the purge may delete or whose response it may
 *     clear; zero if there is none, or if the rows of this table do not expire
 */
public record TableSample(String table, long rows, Duration oldestExpired) {}
