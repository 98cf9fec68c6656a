/**
 * The factory of the stores of messages, and the queries, changes and samples for operators.
 */
@NullMarked
package io.idempotency.internal.postgres.messaging;

import org.jspecify.annotations.NullMarked;
