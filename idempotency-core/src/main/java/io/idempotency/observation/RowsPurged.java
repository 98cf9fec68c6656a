package io.idempotency.observation;

/**
 * The event that expired rows were deleted, or responses were cleared whose keys are kept for longer.
 *
 * @param table name of the table, without its schema; {@code response_body} for cleared responses
 * @param rows number of rows, more than zero
 */
public record RowsPurged(String table, long rows) {}
