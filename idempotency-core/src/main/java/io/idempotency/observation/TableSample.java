package io.idempotency.observation;

import java.time.Duration;

/**
 * A look at one of the library's tables.
 *
 * @param table the table, without its schema
 * @param rows how many rows it holds, as the statistics of PostgreSQL estimate it
 * @param oldestExpired how long the oldest row has been expired that the purge may delete, or clear the response of; zero if there is none,
 *     or if the rows of this table do not expire
 */
public record TableSample(String table, long rows, Duration oldestExpired) {}
