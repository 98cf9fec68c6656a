package io.idempotency.sample.sql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/** The transactions that are open, by the id that the proxy gives a connection while somebody has it. */
class OpenTransactions {

    private final AtomicLong begun = new AtomicLong();

    private final Map<String, Long> transactions = new ConcurrentHashMap<>();

    void begin(String connectionId) {
        transactions.computeIfAbsent(connectionId, unused -> begun.incrementAndGet());
    }

    @Nullable Long find(String connectionId) {
        return transactions.get(connectionId);
    }

    /** {@code null} if none was open. */
    @Nullable Long end(String connectionId) {
        return transactions.remove(connectionId);
    }
}
