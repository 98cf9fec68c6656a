/**
 * Receives messages as calls whose keys are claimed in the inbox, singly or in batches. It uses {@code internal.call}, which
 * does not know it.
 */
@NullMarked
package io.idempotency.internal.inbox;

import org.jspecify.annotations.NullMarked;
