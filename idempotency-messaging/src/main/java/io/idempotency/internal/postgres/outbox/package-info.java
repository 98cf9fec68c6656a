/**
 * Messages to send in the table {@code outbox_event}, and the notifications about them.
 */
@NullMarked
package io.idempotency.internal.postgres.outbox;

import org.jspecify.annotations.NullMarked;
