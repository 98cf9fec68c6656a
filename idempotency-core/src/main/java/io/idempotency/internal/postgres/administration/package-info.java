/**
 * The queries and changes of operators.
 */
@NullMarked
package io.idempotency.internal.postgres.administration;

import org.jspecify.annotations.NullMarked;
