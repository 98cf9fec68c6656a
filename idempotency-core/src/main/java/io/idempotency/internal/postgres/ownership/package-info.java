/**
 * Stores which application a name belongs to.
 */
@NullMarked
package io.idempotency.internal.postgres.ownership;

import org.jspecify.annotations.NullMarked;
