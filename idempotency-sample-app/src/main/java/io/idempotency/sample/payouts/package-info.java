/** Money that leaves the wallet through a payment provider, once for each idempotency key. */
@NullMarked
package io.idempotency.sample.payouts;

import org.jspecify.annotations.NullMarked;
