/** Events of anyone who follows Standard Webhooks, Svix's customers among them: an address book. */
@NullMarked
package io.idempotency.sample.webhooks.standard;

import org.jspecify.annotations.NullMarked;
