/** Webhooks: events of others, which arrive more than once, out of order and from anybody, are handled once if they are real. */
@NullMarked
package io.idempotency.sample.webhooks;

import org.jspecify.annotations.NullMarked;
