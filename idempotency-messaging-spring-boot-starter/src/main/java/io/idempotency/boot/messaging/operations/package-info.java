/** Messages as the endpoint, health and gauges show them. */
@NullMarked
package io.idempotency.boot.messaging.operations;

import org.jspecify.annotations.NullMarked;
