/**
 * Deletes what has expired, whatever the table.
 */
@NullMarked
package io.idempotency.retention;

import org.jspecify.annotations.NullMarked;
