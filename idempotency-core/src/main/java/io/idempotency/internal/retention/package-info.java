/**
 * Deletes what has expired, whatever the table.
 */
@NullMarked
package io.idempotency.internal.retention;

import org.jspecify.annotations.NullMarked;
