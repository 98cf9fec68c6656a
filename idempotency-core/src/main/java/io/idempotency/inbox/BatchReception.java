package io.idempotency.inbox;

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a batch of messages met.
 *
 * @param messageIds of those that are ours to handle, in no order
 * @param waitEnded what ended the wait for other transactions, if it ended; the transaction is aborted then
 */
public record BatchReception(
        List<String> messageIds, @Nullable SQLException waitEnded) {}
