/** The messages in the Actuator endpoint, and the health of the outbox and of partitions. */
@NullMarked
package io.idempotency.boot.messaging.actuate;

import org.jspecify.annotations.NullMarked;
