/** What applications and operators learn of messages: events, the listener that receives them, the observer of deliveries, and queries. */
@NullMarked
package io.idempotency.messaging;

import org.jspecify.annotations.NullMarked;
