package io.idempotency.internal.lock;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.idempotency.LockNotAcquiredException;
import io.idempotency.PrintableText;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.lock.TransactionLocks;

/** Takes locks for application code, in its open transaction. */
public final class LockTemplate implements TransactionLocks {

    private static final int MAX_NAME_LENGTH = 128;

    private static final int MAX_RESOURCE_LENGTH = 255;

    private final JoinedTransactions transactions;

    private final LockStore store;

    public LockTemplate(JoinedTransactions transactions, LockStore store) {
        this.transactions = transactions;
        this.store = store;
    }

    @Override
    public boolean tryAcquire(String name, String resource) {
        long id = idOf(name, resource);
        return transactions.onOpenConnection(connection -> store.tryTake(connection, id));
    }

    @Override
    public void acquire(String name, String resource, Duration timeout) {
        long id = idOf(name, resource);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("The timeout of the lock '" + name + "' is "
                    + DurationFormatterUtils.print(timeout, DurationFormat.Style.COMPOSITE)
                    + ": wait for more than 0, or use tryAcquire, which does not wait");
        }
        transactions.onOpenConnection((connection, holder) -> {
            Duration waitLimit = JoinedTransaction.limit(timeout, holder);
            Optional<SQLException> waitEnded = store.take(connection, id, waitLimit);
            if (waitEnded.isPresent()) {
                throw new LockNotAcquiredException(name, resource, waitLimit, waitEnded.get());
            }
            return id;
        });
    }

    private static long idOf(String name, String resource) {
        require("name", name, MAX_NAME_LENGTH);
        require("resource", resource, MAX_RESOURCE_LENGTH);
        return LockId.of(name, resource);
    }

    private static void require(String part, String text, int maxLength) {
        PrintableText.findProblem(text, 1, maxLength).ifPresent(problem -> {
            throw new IllegalArgumentException("The " + part + " of a lock " + problem);
        });
    }
}
