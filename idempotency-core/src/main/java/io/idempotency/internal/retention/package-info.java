/**
 * Deletes expired rows, and takes samples of the tables. It knows no table.
 */
@NullMarked
package io.idempotency.internal.retention;

import org.jspecify.annotations.NullMarked;
