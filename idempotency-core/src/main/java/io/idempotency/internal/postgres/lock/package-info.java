/**
 * The locks of the application as advisory locks of PostgreSQL.
 */
@NullMarked
package io.idempotency.internal.postgres.lock;

import org.jspecify.annotations.NullMarked;
