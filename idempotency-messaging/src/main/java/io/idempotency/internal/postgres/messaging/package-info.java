/**
 * The tables of messages, the factory of their stores, and the queries, changes and samples for operators.
 */
@NullMarked
package io.idempotency.internal.postgres.messaging;

import org.jspecify.annotations.NullMarked;
