/** The outbox: recording messages in a transaction, the relay that sends them, and handlers in the same process. */
@NullMarked
package io.idempotency.internal.outbox;

import org.jspecify.annotations.NullMarked;
