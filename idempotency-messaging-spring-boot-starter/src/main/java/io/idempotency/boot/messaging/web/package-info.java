/** What HTTP learns of deliveries. */
@NullMarked
package io.idempotency.boot.messaging.web;

import org.jspecify.annotations.NullMarked;
