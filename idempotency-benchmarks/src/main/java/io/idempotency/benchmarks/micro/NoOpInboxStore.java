package io.idempotency.benchmarks.micro;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;

import io.idempotency.internal.inbox.BatchReception;
import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.inbox.Receipt;
import io.idempotency.internal.inbox.Reception;

/** Grants every message at once, and keeps nothing. */
final class NoOpInboxStore implements InboxStore {

    private static final Reception TAKEN = Reception.taken(0, "1");

    @Override
    public Reception receive(Connection connection, Receipt receipt, Duration waitLimit) {
        return TAKEN;
    }

    @Override
    public boolean isHandledBy(Connection connection, Receipt receipt, String transactionId) {
        return false;
    }

    @Override
    public BatchReception receiveNew(
            Connection connection,
            String consumer,
            Collection<String> messageIds,
            Duration retention,
            Duration waitLimit) {
        return new BatchReception(Set.of(), null);
    }

    @Override
    public boolean recordFailure(Connection connection, Receipt receipt, String code, String message) {
        return true;
    }
}
