/**
 * The schema: its tables, their migrations and validation, and the SQL functions.
 */
@NullMarked
package io.idempotency.internal.postgres.schema;

import org.jspecify.annotations.NullMarked;
