/** Publishes and sends the messages of the outbox. */
@NullMarked
package io.idempotency.boot.outbox;

import org.jspecify.annotations.NullMarked;
