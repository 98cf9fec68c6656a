/**
 * The purge of expired rows, and statistics of the tables.
 */
@NullMarked
package io.idempotency.internal.postgres.maintenance;

import org.jspecify.annotations.NullMarked;
