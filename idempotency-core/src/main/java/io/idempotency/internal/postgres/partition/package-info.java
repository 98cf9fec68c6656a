/**
 * The table {@code processed_message} in partitions: their creation, closing, expiry and removal.
 */
@NullMarked
package io.idempotency.internal.postgres.partition;

import org.jspecify.annotations.NullMarked;
