package io.idempotency.observation;

/**
 * Expired rows were deleted, or responses cleared whose keys are kept for longer.
 *
 * @param table the table, without its schema; {@code response_body} for responses that were cleared
 * @param rows how many, more than zero
 */
public record RowsPurged(String table, long rows) {}
