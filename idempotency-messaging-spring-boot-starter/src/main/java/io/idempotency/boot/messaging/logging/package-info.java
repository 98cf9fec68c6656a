/** Log lines for the events of messages. */
@NullMarked
package io.idempotency.boot.messaging.logging;

import org.jspecify.annotations.NullMarked;
