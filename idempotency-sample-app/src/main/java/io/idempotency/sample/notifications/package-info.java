/** Customers are told of their payments, once each. */
@NullMarked
package io.idempotency.sample.notifications;

import org.jspecify.annotations.NullMarked;
