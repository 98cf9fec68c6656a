/** Auto-configuration of received messages. */
@NullMarked
package io.idempotency.boot.messaging.inbox;

import org.jspecify.annotations.NullMarked;
