package io.idempotency.internal.execution;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.DuplicatePolicy;
import io.idempotency.FailureTranslator;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.inbox.Reception;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.MessageAttributes;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.observation.CallObserver;
import io.idempotency.observation.IdempotencyListener;

/**
 * What surrounds the transaction of a call. Each duty is a class of its own: key and fingerprint are computed once,
 * duplicates in this JVM wait for each other, leases are waited for and held, executions are repeated, failures are
 * recorded. The outcome is reported when everything is over.
 */
public final class CallBoundary {

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    private final CallBinding binding;

    private final ReceiptBinding receipts;

    private final IdempotencyListener listener;

    private final CallObserver observer;

    private final CallDefaults defaults;

    private final SingleFlight singleFlight;

    private final TransactionalCalls transactionalCalls;

    private final LeasedCalls leasedCalls;

    private final RecentReplay recentReplay;

    private final ClaimExecutor executor;

    /**
     * Creates the boundary.
     *
     * @param binding computes keys and fingerprints
     * @param receipts computes what is to be kept of messages
     * @param executor is inside of the transaction
     * @param store where leases and failures are kept
     * @param dataSource of the store
     * @param translator makes codes of failures
     * @param listener learns the outcome of every call
     * @param observer surrounds every call; throws nothing
     * @param defaults for what a call leaves open
     */
    public CallBoundary(
            CallBinding binding,
            ReceiptBinding receipts,
            ClaimExecutor executor,
            ClaimStore store,
            DataSource dataSource,
            FailureTranslator translator,
            IdempotencyListener listener,
            CallObserver observer,
            CallDefaults defaults) {
        this.binding = binding;
        this.receipts = receipts;
        this.listener = listener;
        this.observer = observer;
        this.defaults = defaults;
        this.singleFlight = new SingleFlight(defaults.maxWaiting());
        RequiresNewTransaction transactions = RequiresNewTransaction.readCommittedOn(dataSource);
        FailureRecorder failures = new FailureRecorder(transactions, translator, defaults);
        CallRetry retry = new CallRetry(defaults.retry(), listener);
        this.transactionalCalls =
                new TransactionalCalls(retry, failures, new UnansweredCommits(transactions, executor, retry, defaults));
        this.leasedCalls = new LeasedCalls(store, transactions, executor, failures, retry, defaults);
        this.recentReplay = new RecentReplay(store, dataSource, defaults);
        this.executor = executor;
    }

    /**
     * Surrounds a call of an annotated method.
     *
     * @param operation what its annotation says
     * @param target the bean's own object
     * @param arguments of the call
     * @param invocation the transaction with the claim and the method in it; may be asked to proceed several times
     * @return the result of the method, or the stored one
     * @throws Throwable whatever the invocation threw, or an {@link io.idempotency.IdempotencyException}
     */
    public @Nullable Object call(
            IdempotentOperation operation, Object target, @Nullable Object[] arguments, Invocation invocation)
            throws Throwable {
        MessageAttributes message = operation.message();
        return message == null
                ? call(operation, operation.scope(), () -> binding.bind(operation, target, arguments), invocation)
                : receive(
                        operation,
                        operation.scope(),
                        met -> receipts.bind(operation, message, target, arguments, met),
                        invocation);
    }

    @Nullable Object call(Object site, String scope, Supplier<IdempotentCall> binder, Invocation invocation) throws Throwable {
        Announcement announcement = new CallAnnouncement(listener, scope, observer.callStarted(scope));
        return call(site, new CallReport(announcement), binder, invocation);
    }

    /** Binds by what learns what the delivery meets. */
    @Nullable Object receive(
            Object site, String consumer, Function<Consumer<Reception>, IdempotentCall> binder, Invocation invocation)
            throws Throwable {
        MessageAnnouncement announcement =
                new MessageAnnouncement(listener, consumer, observer.deliveryStarted(consumer));
        return call(site, new CallReport(announcement), () -> binder.apply(announcement::met), invocation);
    }

    private @Nullable Object call(
            Object site, CallReport report, Supplier<IdempotentCall> binder, Invocation invocation) throws Throwable {
        Throwable failure = null;
        try {
            IdempotentCall call = bind(binder, report);
            WaitBudget waitBudget = defaults.waitBudgetOf(call.terms());
            return inTurn(call, report, waitBudget, () -> execute(site, call, report, waitBudget, invocation));
        } catch (Throwable thrown) {
            failure = thrown;
            throw thrown;
        } finally {
            report.callEnded(failure);
        }
    }

    private static IdempotentCall bind(Supplier<IdempotentCall> binder, CallReport report) {
        try {
            IdempotentCall call = binder.get();
            report.bound(call.intent());
            return call;
        } catch (MissingIdempotencyKeyException | InvalidIdempotencyKeyException refused) {
            report.found(Outcome.INVALID_KEY);
            throw refused;
        }
    }

    /** Whoever holds a transaction or a key already must not wait for others here: they may be waiting for it. */
    private @Nullable Object inTurn(IdempotentCall call, CallReport report, WaitBudget waitBudget, Invocation work)
            throws Throwable {
        boolean mayWait = call.terms().onDuplicate() == DuplicatePolicy.WAIT
                && !TransactionSynchronizationManager.isActualTransactionActive()
                && HeldKeys.areNone();
        return mayWait
                ? singleFlight.call(
                        call.localKey(),
                        waitBudget,
                        work,
                        () -> afterWaitInVain(call, report, waitBudget, work),
                        () -> refuseToWait(call, report, waitBudget))
                : work.proceed();
    }

    /** Without a connection: a storm of duplicates whose waits end together must not take the pool after all. */
    private @Nullable Object afterWaitInVain(
            IdempotentCall call, CallReport report, WaitBudget waitBudget, Invocation work) throws Throwable {
        if (!call.terms().isLeased()) {
            report.found(Outcome.IN_PROGRESS);
            throw waitedInVain(call.intent(), waitBudget);
        }
        Duration remaining = leasedCalls.remainingHere(call.localKey());
        if (remaining.isZero()) {
            return work.proceed();
        }
        report.found(Outcome.IN_PROGRESS);
        throw new ActiveLeaseException(remaining).whenWaitedInVain(call.intent(), waitBudget);
    }

    private static RequestInProgressException waitedInVain(Intent intent, WaitBudget waitBudget) {
        return new RequestInProgressException(
                intent,
                RetryAfter.of(waitBudget.total()),
                "The " + intent + " is being executed by another call in this process, "
                        + (Thread.currentThread().isInterrupted()
                                ? "and this thread was interrupted while it waited"
                                : "which did not end within "
                                        + waitBudget.spent().toMillis() + " ms")
                        + ": repeat this call later with the same key",
                null);
    }

    private Object refuseToWait(IdempotentCall call, CallReport report, WaitBudget waitBudget) {
        report.found(Outcome.IN_PROGRESS);
        throw new RequestInProgressException(
                call.intent(),
                RetryAfter.of(waitBudget.total()),
                "The " + call.intent()
                        + " is being executed by another call in this process, and as many calls wait for it"
                        + " as may at the same time (idempotency.max-waiting = " + defaults.maxWaiting()
                        + "): repeat this call later with the same key",
                null);
    }

    private @Nullable Object execute(
            Object site, IdempotentCall call, CallReport report, WaitBudget waitBudget, Invocation invocation)
            throws Throwable {
        if (call.terms().isLeased() && TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new TransactionMismatchException(
                    call.intent(),
                    "its lease has to be committed before the method runs, but a transaction is open. Call it from outside"
                            + " of transactions");
        }
        Optional<Claim> stored = recentReplay.find(call, waitBudget);
        if (stored.isPresent()) {
            return stored.get().handledBy(executor.answers(call, waitBudget, report, true, granted -> {
                throw new IllegalStateException("Nothing was claimed");
            }));
        }
        while (true) {
            try {
                return call.terms().isLeased()
                        ? leasedCalls.call(site, call, report, waitBudget, invocation)
                        : transactionalCalls.call(site, call, report, waitBudget, invocation);
            } catch (ActiveLeaseException held) {
                if (waitBudget.isSpent()) {
                    throw held.whenWaitedInVain(call.intent(), waitBudget);
                }
                pause(held.remaining(), waitBudget);
            }
        }
    }

    /** Short, because a holder that is done early does not tell. */
    private static void pause(Duration leaseRemaining, WaitBudget waitBudget) {
        long start = System.nanoTime();
        Duration pause = leaseRemaining.compareTo(LONGEST_PAUSE) < 0 ? leaseRemaining : LONGEST_PAUSE;
        Duration left = waitBudget.remaining();
        LockSupport.parkNanos((pause.compareTo(left) < 0 ? pause : left).toNanos());
        waitBudget.spendSince(start);
        if (Thread.currentThread().isInterrupted()) {
            waitBudget.spendAll();
        }
    }
}
