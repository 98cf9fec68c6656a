/** Events of Stripe: the status of invoices, and of the payments that they are about. */
@NullMarked
package io.idempotency.sample.webhooks.stripe;

import org.jspecify.annotations.NullMarked;
