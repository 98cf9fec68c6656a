/**
 * Claims and their completion in the table {@code idempotency_request}, and what operators do with its rows.
 */
@NullMarked
package io.idempotency.internal.postgres.request;

import org.jspecify.annotations.NullMarked;
