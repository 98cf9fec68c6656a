/** Publishing into the outbox, the relay that sends, and handlers in the same process. */
@NullMarked
package io.idempotency.internal.outbox;

import org.jspecify.annotations.NullMarked;
