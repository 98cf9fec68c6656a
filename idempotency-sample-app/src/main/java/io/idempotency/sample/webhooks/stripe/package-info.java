/** Events of Stripe: the status of invoices. */
@NullMarked
package io.idempotency.sample.webhooks.stripe;

import org.jspecify.annotations.NullMarked;
