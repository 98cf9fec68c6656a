/** Writes: the key, the statements and the COMMIT in one message. */
@NullMarked
package io.idempotency.internal.write;

import org.jspecify.annotations.NullMarked;
