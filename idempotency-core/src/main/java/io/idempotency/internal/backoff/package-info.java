/** The growth of the pauses between attempts. */
@NullMarked
package io.idempotency.internal.backoff;

import org.jspecify.annotations.NullMarked;
