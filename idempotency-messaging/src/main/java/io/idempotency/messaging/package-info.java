/** The events of messages, the listener that receives them, the observer of deliveries, and the queries of operators. */
@NullMarked
package io.idempotency.messaging;

import org.jspecify.annotations.NullMarked;
