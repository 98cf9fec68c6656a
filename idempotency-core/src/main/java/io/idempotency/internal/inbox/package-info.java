/** The store of messages that were handled, and its answers. */
@NullMarked
package io.idempotency.internal.inbox;

import org.jspecify.annotations.NullMarked;
