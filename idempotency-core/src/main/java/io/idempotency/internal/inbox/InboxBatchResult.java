package io.idempotency.internal.inbox;

import java.sql.SQLException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What a batch of messages onResult.
 *
 * @param handledBefore ids of those that were handled before; the others are ours to handle
 * @param waitEnded what ended the wait for other transactions, if it ended; the transaction is aborted then
 */
public record InboxBatchResult(
        Set<String> handledBefore, @Nullable SQLException waitEnded) {}
