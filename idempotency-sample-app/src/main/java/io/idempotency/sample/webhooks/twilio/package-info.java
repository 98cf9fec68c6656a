/** Events of Twilio: the status of text messages and calls. */
@NullMarked
package io.idempotency.sample.webhooks.twilio;

import org.jspecify.annotations.NullMarked;
