/**
 * Handled messages, failures of messages and positions of streams: the tables {@code processed_message}, {@code message_failure} and
 * {@code stream_position}.
 */
@NullMarked
package io.idempotency.internal.postgres.inbox;

import org.jspecify.annotations.NullMarked;
