/**
 * Deletes expired rows, and maintains partitions. It knows no table.
 */
@NullMarked
package io.idempotency.internal.retention;

import org.jspecify.annotations.NullMarked;
