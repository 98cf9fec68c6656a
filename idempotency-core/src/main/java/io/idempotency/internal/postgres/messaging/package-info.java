/**
 * The tables of messages, and the factory of their stores.
 */
@NullMarked
package io.idempotency.internal.postgres.messaging;

import org.jspecify.annotations.NullMarked;
