package io.idempotency.internal.resume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.DatabaseResolver;
import io.idempotency.FailureTranslator;
import io.idempotency.Intent;
import io.idempotency.internal.call.IdempotentCall;
import io.idempotency.internal.call.Invocation;
import io.idempotency.internal.call.KeyOwnership.LocalKey;
import io.idempotency.internal.call.ResumedCall;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.DueCall;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.observation.CallResumed;
import io.idempotency.observation.IdempotencyListener;

/**
 * Resumes calls whose leases have expired. It reads the arguments before it claims the key, so that a call that only another version of
 * the application can make does not count as an attempt. Any number of threads and instances may work on one database.
 */
public final class CallResumer {

    private static final Logger logger = LoggerFactory.getLogger(CallResumer.class);

    /** Few, because their arguments are read with them. */
    private static final int BATCH = 10;

    /** Calls that run here, or whose rows cannot be claimed, stay due. */
    private static final int MOST_PASSED_OVER = 90;

    /** Another transaction that holds the row is about to end the call. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private final ResumableMethods methods;

    private final ClaimStore store;

    private final DatabaseResolver databaseResolver;

    private final RequiresNewTransaction transactions;

    private final FailureTranslator translator;

    private final int maxAttempts;

    private final IdempotencyListener listener;

    private final Set<String> warnedScopes = ConcurrentHashMap.newKeySet();

    private final Function<LocalKey, @Nullable Integer> attemptsInThisJvm;

    /** The calls that this instance resumes now. */
    private final Map<LocalKey, ResumedCall> running = new ConcurrentHashMap<>();

    /** Keys that were reported because their calls run here although their leases have expired. */
    private final Set<LocalKey> overdue = ConcurrentHashMap.newKeySet();

    /**
     * Creates the resumer.
     *
     * @param translator translates exceptions to failure codes
     * @param attemptsInThisJvm returns the number of the attempt that this JVM is running; {@code null} if it runs none
     */
    public CallResumer(
            ResumableMethods methods,
            ClaimStore store,
            DataSource dataSource,
            DatabaseResolver databaseResolver,
            FailureTranslator translator,
            int maxAttempts,
            IdempotencyListener listener,
            Function<LocalKey, @Nullable Integer> attemptsInThisJvm) {
        this.methods = methods;
        this.store = store;
        this.databaseResolver = databaseResolver;
        this.transactions = RequiresNewTransaction.readCommittedOn(dataSource);
        this.translator = translator;
        this.maxAttempts = maxAttempts;
        this.listener = listener;
        this.attemptsInThisJvm = attemptsInThisJvm;
    }

    /**
     * Resumes calls that are due, one after the other, until none is left.
     *
     * @param goesOn returns whether another call may be resumed now
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports an error; the calls stay due
     * @throws org.springframework.transaction.TransactionException if there is no connection; the calls stay due
     */
    public void resumeAll(BooleanSupplier goesOn) {
        overdue.removeIf(key -> attemptInThisJvm(key) == null);
        if (methods.mayBeMore()
                && transactions.call(connection -> store.hasOtherDueCalls(connection, methods.scopes()))) {
            methods.discover();
        }
        int passedOver = 0;
        boolean mayFindMore = true;
        while (mayFindMore) {
            // Behind those that cannot be resumed now.
            int limit = BATCH + Math.min(passedOver, MOST_PASSED_OVER);
            List<DueCall> due = new ArrayList<>(
                    transactions.call(connection -> store.findDueCalls(connection, methods.scopes(), limit)));
            // Others find the same calls.
            Collections.shuffle(due);
            int resumed = 0;
            for (DueCall call : due) {
                if (!goesOn.getAsBoolean()) {
                    return;
                }
                resumed += resume(call) ? 1 : 0;
            }
            passedOver = due.size() - resumed;
            mayFindMore = resumed > 0 || (due.size() == limit && limit < BATCH + MOST_PASSED_OVER);
        }
    }

    /**
     * Logs the calls that this instance resumes and that have outlived their leases, each once.
     *
     * @return the threads that are busy with them, which may hang
     */
    public Set<Thread> reportOverdue() {
        return running.entrySet().stream()
                .filter(call -> call.getValue().remaining().isZero())
                .peek(call -> reportOverdue(call.getKey(), call.getValue().intent()))
                .map(call -> call.getValue().thread())
                .collect(Collectors.toSet());
    }

    private void reportOverdue(LocalKey key, Intent intent) {
        if (overdue.add(key)) {
            logger.warn(
                    "The call for the {} still runs in this process although its lease has expired: it is not resumed beside"
                            + " itself here, but other instances may do so. If it hangs, give its clients timeouts; otherwise"
                            + " make its lease longer",
                    intent);
        }
    }

    /** Returns the attempt that this JVM is running, which may hang before it has reached its key; null if it runs none. */
    private @Nullable Integer attemptInThisJvm(LocalKey key) {
        ResumedCall resumed = running.get(key);
        return resumed == null ? attemptsInThisJvm.apply(key) : (Integer) resumed.attempt();
    }

    /** Returns {@code false} if the call runs here, another thread or instance resumes it, or its caller has repeated it. */
    private boolean resume(DueCall due) {
        try {
            return claimAndMake(due);
        } catch (RuntimeException failure) {
            // The next call may be one that can be resumed.
            logger.warn("A call could not be resumed; it is tried again", failure);
            return false;
        }
    }

    private boolean claimAndMake(DueCall due) {
        IdempotentOperation operation = methods.operationOf(due);
        IdempotentCall key = callOf(due, operation);
        Integer runningAttempt = attemptInThisJvm(key.localKey());
        if (runningAttempt != null) {
            // A later one has begun since the search.
            if (runningAttempt == due.attempt()) {
                reportOverdue(key.localKey(), due.intent());
            }
            return false;
        }
        Invocation method;
        try {
            method = methods.prepare(due);
        } catch (OtherVersionException otherVersion) {
            return postpone(due, operation, otherVersion);
        }
        Lease lease = ResumedCall.nextLease(due, operation.options());
        ClaimRequest request = key.claimRequest(LONGEST_WAIT, false, lease);
        // Otherwise the row was changed or deleted meanwhile: perhaps the caller has got a failure.
        ClaimResult expected = ClaimResult.granted(
                due.isUnfinished() ? ClaimResult.Kind.GRANTED_RECOVERY : ClaimResult.Kind.GRANTED_RETRY,
                due.attempt() + 1);
        ClaimResult claim =
                transactions.callAndKeepIf(connection -> store.claim(connection, request), expected::equals);
        if (!claim.equals(expected)) {
            return false;
        }
        ResumedCall call = new ResumedCall(due, operation, lease, claim, maxAttempts);
        running.put(key.localKey(), call);
        try {
            make(call, method, due, operation, request.fence(claim.attempt()));
        } finally {
            running.remove(key.localKey());
        }
        return true;
    }

    private void make(ResumedCall call, Invocation method, DueCall due, IdempotentOperation operation, Fence fence) {
        if (due.isUnfinished() && due.resumeCount() >= maxAttempts) {
            String reason = "its process ended, or lost the database, before the call had ended";
            IllegalStateException lost = new IllegalStateException(reason);
            end(call, fence, ResumedCall.abandoned(due.resumeCount(), reason), lost);
            publish(due, call, lost);
            return;
        }
        Throwable failure = null;
        try {
            call.make(method);
            if (!call.hasReachedKey()) {
                failure = new IllegalStateException("An interceptor or a mock has answered the call of "
                        + operation.describe() + " without calling it");
            }
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (failure != null && !call.hasReachedKey()) {
            String message = failure.getMessage();
            ResumedCall.End end =
                    call.endOf(new Failure(false, translator.codeOf(failure), message == null ? "" : message));
            end(call, fence, end, failure);
        }
        publish(due, call, failure);
    }

    /** Leaves a call to an instance of another version. Returns {@code false} if the call is not due any more. */
    private boolean postpone(DueCall due, IdempotentOperation operation, OtherVersionException otherVersion) {
        Duration pause = operation.options().lease();
        if (warnedScopes.add(due.intent().scope())) {
            logger.warn(
                    "{}. It is no attempt, and tried again every {}: let an instance of the version that has stored it run, deploy"
                            + " code that reads it, or complete the request by hand. Further calls of the scope are not logged",
                    otherVersion.getMessage(),
                    pause,
                    otherVersion);
        }
        return transactions.call(connection -> store.postpone(connection, due, pause));
    }

    private IdempotentCall callOf(DueCall due, IdempotentOperation operation) {
        return new IdempotentCall(
                RequestKey.of(due.intent(), due.fingerprint()),
                databaseResolver.resolveDatabase(),
                operation.options(),
                operation.responseType(),
                null,
                store,
                null,
                null);
    }

    /** Records the end of an attempt that did not reach its key. If that fails, the lease expires and the call is due again. */
    private void end(ResumedCall call, Fence fence, ResumedCall.End end, Throwable failure) {
        if (transactions.call(connection -> end.record(store, connection, fence))) {
            call.ended(end, failure);
        }
    }

    private void publish(DueCall due, ResumedCall call, @Nullable Throwable thrown) {
        Throwable failure = call.failure() == null ? thrown : call.failure();
        listener.callResumed(new CallResumed(due.intent(), due.attempt() + 1, resultOf(call), failure));
    }

    private static CallResumed.Result resultOf(ResumedCall call) {
        ResumedCall.End end = call.end();
        if (end == null) {
            return call.hasReturned() ? CallResumed.Result.SUCCEEDED : CallResumed.Result.UNKNOWN;
        }
        if (end.isAbandoned()) {
            return CallResumed.Result.ABANDONED;
        }
        return end.pause() == null ? CallResumed.Result.FAILED : CallResumed.Result.POSTPONED;
    }
}
