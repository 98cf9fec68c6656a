/**
 * The verification at start-up that the database is one on which the guarantee holds.
 */
@NullMarked
package io.idempotency.internal.postgres.engine;

import org.jspecify.annotations.NullMarked;
