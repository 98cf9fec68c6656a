package io.idempotency.internal.inbox;

import java.sql.SQLException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The result of claiming a batch of messages.
 *
 * @param handledBefore the ids of the messages that were handled before; the others are claimed
 * @param waitEnded the error that ended the wait for other transactions and aborted this one; {@code null} if there is none
 */
public record InboxBatchResult(
        Set<String> handledBefore, @Nullable SQLException waitEnded) {}
