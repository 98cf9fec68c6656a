/** Payments, each made once for its idempotency key. */
@NullMarked
package io.idempotency.sample.payments;

import org.jspecify.annotations.NullMarked;
