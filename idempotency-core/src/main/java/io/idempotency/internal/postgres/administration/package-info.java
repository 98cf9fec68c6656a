/**
 * What operators see of all tables, and what they may change.
 */
@NullMarked
package io.idempotency.internal.postgres.administration;

import org.jspecify.annotations.NullMarked;
