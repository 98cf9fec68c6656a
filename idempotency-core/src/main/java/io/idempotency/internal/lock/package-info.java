/** Locks that last until the end of the transaction. */
@NullMarked
package io.idempotency.internal.lock;

import org.jspecify.annotations.NullMarked;
