/** Payments as charges of Stripe's API, so that its client libraries, which repeat requests by themselves, can make them. */
@NullMarked
package io.idempotency.sample.charges;

import org.jspecify.annotations.NullMarked;
