/**
 * Claims and their completion in the table {@code idempotency_request}, and the changes of operators.
 */
@NullMarked
package io.idempotency.internal.postgres.request;

import org.jspecify.annotations.NullMarked;
