package io.idempotency.observation;

/**
 * Expired rows were deleted.
 *
 * @param table the table, without its schema
 * @param rows how many, more than zero
 */
public record RowsPurged(String table, long rows) {}
