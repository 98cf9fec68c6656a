package io.idempotency.internal.resume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.DatabaseResolver;
import io.idempotency.FailureTranslator;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.DueCall;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RequestId;
import io.idempotency.internal.execution.CallDefaults;
import io.idempotency.internal.execution.IdempotentCall;
import io.idempotency.internal.execution.Invocation;
import io.idempotency.internal.execution.ResumedCall;
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

    /** Another transaction that holds the row is about to end the call. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private final ResumableMethods methods;

    private final ClaimStore store;

    private final DatabaseResolver databaseResolver;

    private final RequiresNewTransaction transactions;

    private final FailureTranslator translator;

    private final CallDefaults defaults;

    private final int maxAttempts;

    private final IdempotencyListener listener;

    private final Set<String> warnedScopes = ConcurrentHashMap.newKeySet();

    private volatile boolean stopped;

    /**
     * Creates the resumer.
     *
     * @param methods calls the methods
     * @param store finds and claims the calls
     * @param dataSource the DataSource of the store
     * @param databaseResolver resolves the database of a call
     * @param translator translates exceptions to failure codes
     * @param defaults the settings that a call leaves open
     * @param maxAttempts the largest number of attempts of a call, those of its callers included
     * @param listener receives the result of each attempt
     */
    public CallResumer(
            ResumableMethods methods,
            ClaimStore store,
            DataSource dataSource,
            DatabaseResolver databaseResolver,
            FailureTranslator translator,
            CallDefaults defaults,
            int maxAttempts,
            IdempotencyListener listener) {
        this.methods = methods;
        this.store = store;
        this.databaseResolver = databaseResolver;
        this.transactions = RequiresNewTransaction.readCommittedOn(dataSource);
        this.translator = translator;
        this.defaults = defaults;
        this.maxAttempts = maxAttempts;
        this.listener = listener;
    }

    /**
     * Resumes calls that are due, one after the other, until none is left.
     *
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports an error; the calls stay due
     * @throws org.springframework.transaction.TransactionException if there is no connection; the calls stay due
     */
    public void resumeAll() {
        boolean anyResumed = true;
        while (anyResumed) {
            List<DueCall> due = new ArrayList<>(
                    transactions.call(connection -> store.findDueCalls(connection, methods.scopes(), BATCH)));
            // Others find the same calls.
            Collections.shuffle(due);
            anyResumed = false;
            for (DueCall call : due) {
                if (stopped) {
                    return;
                }
                anyResumed |= resume(call);
            }
        }
    }

    /** Resumes no further call. Running ones are not ended. */
    public void stop() {
        stopped = true;
    }

    /** Allows to resume calls again after {@link #stop()}. */
    public void restart() {
        stopped = false;
    }

    /** Returns {@code false} if another thread or instance resumes the call, or its caller has repeated it. */
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
        Invocation method;
        try {
            method = methods.prepare(due);
        } catch (OtherVersionException otherVersion) {
            return postpone(due, operation, otherVersion);
        }
        Lease lease = new Lease(UUID.randomUUID(), defaults.leaseOf(operation.options()), due.arguments());
        ClaimRequest request = claimRequest(due, operation, lease);
        // Otherwise the row was changed or deleted meanwhile: perhaps the caller has got a failure.
        ClaimResult expected = ClaimResult.granted(
                due.isUnfinished() ? ClaimResult.Kind.GRANTED_RECOVERY : ClaimResult.Kind.GRANTED_RETRY,
                due.attempt() + 1);
        ClaimResult claim =
                transactions.callAndKeepIf(connection -> store.claim(connection, request), expected::equals);
        if (!claim.equals(expected)) {
            return false;
        }
        ResumedCall call = new ResumedCall(due, operation, lease.token(), claim, maxAttempts, defaults);
        Fence fence = request.fence(claim.attempt());
        if (due.isUnfinished() && due.attempt() >= maxAttempts) {
            String reason = "its process ended, or lost the database, before the call had ended";
            IllegalStateException lost = new IllegalStateException(reason);
            end(call, fence, ResumedCall.abandoned(due.attempt(), reason), lost);
            publish(due, call, lost);
            return true;
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
        return true;
    }

    /** Leaves a call to an instance of another version. Returns {@code false} if the call is not due any more. */
    private boolean postpone(DueCall due, IdempotentOperation operation, OtherVersionException otherVersion) {
        Duration pause = defaults.leaseOf(operation.options());
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

    private ClaimRequest claimRequest(DueCall due, IdempotentOperation operation, Lease lease) {
        IdempotentCall call = new IdempotentCall(
                RequestId.of(due.intent()),
                databaseResolver.resolveDatabase(),
                due.intent(),
                due.fingerprint(),
                operation.options(),
                operation.responseType(),
                null,
                false,
                store,
                null,
                null);
        return defaults.claimRequest(call, LONGEST_WAIT, false, lease);
    }

    /** Records the end of an attempt that did not reach its key. If that fails, the lease expires and the call is due again. */
    private void end(ResumedCall call, Fence fence, ResumedCall.End end, Throwable failure) {
        if (transactions.call(connection -> store.fail(connection, fence, end.failure(), end.pause()))) {
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
