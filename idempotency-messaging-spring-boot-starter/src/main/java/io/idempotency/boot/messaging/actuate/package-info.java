/** What the endpoint and the health indicator show of messages. */
@NullMarked
package io.idempotency.boot.messaging.actuate;

import org.jspecify.annotations.NullMarked;
