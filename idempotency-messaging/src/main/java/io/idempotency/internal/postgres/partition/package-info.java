/**
 * The partitions of the table {@code processed_message}: their creation, closing, expiry and removal.
 */
@NullMarked
package io.idempotency.internal.postgres.partition;

import org.jspecify.annotations.NullMarked;
