package io.idempotency.internal.resume;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.DatabaseResolver;
import io.idempotency.FailureTranslator;
import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.Invocation;
import io.idempotency.internal.call.attempt.KeyOwnership.LocalKey;
import io.idempotency.internal.call.attempt.ResumedCall;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.operation.CallOperation;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.outbox.OtherVersionException;
import io.idempotency.internal.outbox.OtherVersions;
import io.idempotency.internal.response.StorableText;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingListener;

import static java.util.Objects.requireNonNull;

/**
 * Resumes calls whose messages are due. It reads the arguments before it claims the key, so that a call that only another version of
 * the application can make does not count as an attempt. Any number of instances may work on one database.
 */
public final class CallResumer {

    private static final Logger logger = LoggerFactory.getLogger(CallResumer.class);

    /** Few, because their arguments are read with them. */
    private static final int BATCH = 10;

    /** Another transaction that holds the row is about to end the call. On a slow server a statement takes longer without that. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

    private static final int WAITS_IN_LEASE = 12;

    private static final int MAX_REASON_LENGTH = 1_000;

    /** A row is found whatever its payload is. */
    private static final Fingerprint UNKNOWN = new Fingerprint(0, new byte[0]);

    private final ResumableMethods methods;

    private final ClaimStore store;

    private final ResumptionStore messages;

    private final DatabaseResolver databaseResolver;

    private final RequiresNewTransaction transactions;

    private final FailureTranslator translator;

    private final int maxAttempts;

    private final Backoff backoff;

    private final MessagingListener listener;

    private final OtherVersions otherVersions;

    private final Predicate<LocalKey> runsInThisJvm;

    /** The calls that this instance resumes now. */
    private final Map<LocalKey, ResumedCall> running = new ConcurrentHashMap<>();

    /**
     * Creates the resumer.
     *
     * @param runsInThisJvm returns whether this JVM runs an attempt, even if its lease has expired
     */
    public CallResumer(
            ResumableMethods methods,
            ClaimStore store,
            ResumptionStore messages,
            DataSource dataSource,
            DatabaseResolver databaseResolver,
            FailureTranslator translator,
            int maxAttempts,
            Backoff backoff,
            MessagingListener listener,
            Predicate<LocalKey> runsInThisJvm) {
        this.methods = methods;
        this.store = store;
        this.messages = messages;
        this.databaseResolver = databaseResolver;
        this.transactions = RequiresNewTransaction.readCommittedOn(dataSource);
        this.translator = translator;
        this.maxAttempts = maxAttempts;
        this.backoff = backoff;
        this.listener = listener;
        this.otherVersions = new OtherVersions(backoff, logger, "complete the request by hand");
        this.runsInThisJvm = runsInThisJvm;
    }

    /**
     * Claims calls that are due, one after the other, until none is left. It waits for a row that another transaction holds only while
     * no other call is due.
     *
     * @param executor makes each call when its key is claimed
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports an error; the calls stay due
     * @throws org.springframework.transaction.TransactionException if there is no connection; the calls stay due
     */
    public void resumeAll(BooleanSupplier goesOn, Executor executor) {
        if (methods.mayBeMore()
                && transactions.call(connection -> messages.hasOtherDue(connection, methods.scopes()))) {
            methods.discover();
        }
        List<UUID> passedOver = new ArrayList<>();
        Deque<DueCall> locked = new ArrayDeque<>();
        List<DueCall> due;
        do {
            due = new ArrayList<>(
                    transactions.call(connection -> messages.findDue(connection, methods.scopes(), passedOver, BATCH)));
            // Others find the same calls.
            Collections.shuffle(due);
            for (DueCall call : due) {
                if (!goesOn.getAsBoolean()) {
                    return;
                }
                if (due.size() > 1 && isLocked(call)) {
                    locked.add(call);
                    passedOver.add(call.messageId());
                } else if (!resume(call, executor)) {
                    passedOver.add(call.messageId());
                }
            }
            if (due.size() < BATCH && !locked.isEmpty() && goesOn.getAsBoolean()) {
                resume(locked.remove(), executor);
            }
        } while (due.size() == BATCH || (!locked.isEmpty() && goesOn.getAsBoolean()));
    }

    private boolean isLocked(DueCall due) {
        return due.problem() == null
                && transactions.callAndKeepIf(connection -> messages.isLocked(connection, due.intent()), any -> false);
    }

    /**
     * Counts the calls that this instance resumes.
     *
     * @param withHanging whether those count whose leases have expired, and which may hang
     */
    public long count(boolean withHanging) {
        return running.values().stream()
                .filter(call -> withHanging || !call.mayHang())
                .count();
    }

    /** Returns whether this JVM runs an attempt, which may hang before it has reached its key. */
    private boolean isRunning(LocalKey key) {
        return running.containsKey(key) || runsInThisJvm.test(key);
    }

    /** Returns {@code false} if its message may still be due: the call runs here, or another one has its row. */
    private boolean resume(DueCall due, Executor executor) {
        try {
            return claimAndMake(due, executor);
        } catch (RuntimeException failure) {
            // The next call may be one that can be resumed.
            logger.warn("A call could not be resumed; it is tried again", failure);
            return false;
        }
    }

    private boolean claimAndMake(DueCall due, Executor executor) {
        if (due.problem() != null) {
            String problem =
                    "The " + due.intent() + " cannot be resumed, because of its message " + due.messageId() + ": ";
            postpone(due, new OtherVersionException(problem + due.problem(), null));
            return true;
        }
        CallOperation operation = methods.operationOf(due);
        Optional<StoredRequest> found = find(due, operation);
        if (found.isEmpty()) {
            change(connection -> messages.remove(connection, due));
            return true;
        }
        StoredRequest request = found.get();
        Duration remaining = request.leaseRemaining();
        if (remaining != null && !remaining.isNegative() && !remaining.isZero()) {
            change(connection -> messages.awaitLease(connection, due, remaining));
            return true;
        }
        IdempotentCall key = callOf(due.intent(), request.fingerprint(), operation);
        if (isRunning(key.localKey())) {
            return false;
        }
        Invocation method;
        try {
            method = methods.prepare(due, request.fingerprint());
        } catch (OtherVersionException otherVersion) {
            postpone(due, otherVersion);
            return true;
        }
        ClaimRequest claimRequest = key.claimRequest(waitOf(operation), false, nextLease(due, operation.options()));
        boolean isUnfinished = request.status() == RequestStatus.PROCESSING && remaining != null;
        // Otherwise the row was changed or deleted meanwhile: perhaps the caller has got a failure.
        ClaimResult expected = ClaimResult.granted(
                isUnfinished ? ClaimResult.Kind.GRANTED_RECOVERY : ClaimResult.Kind.GRANTED_RETRY,
                request.attempt() + 1);
        ClaimResult claim = transactions.callAndKeepIf(
                connection -> {
                    if (remaining == null) {
                        store.revive(connection, new Fence(key.key(), request.attempt(), request.claimToken()));
                    }
                    return store.claim(connection, claimRequest);
                },
                expected::equals);
        if (claim.kind() == ClaimResult.Kind.IN_PROGRESS) {
            Duration wait = waitOf(operation);
            String reason = "The " + due.intent() + " is due to be resumed, but could not be claimed within " + wait
                    + ": another transaction holds its row, or the database is slow";
            logger.warn("{}. It is tried again after as long", reason);
            change(connection -> messages.postpone(connection, due, wait, StorableText.of(reason, MAX_REASON_LENGTH)));
            return true;
        }
        if (!claim.equals(expected)) {
            return false;
        }
        ResumedCall call = new ResumedCall(claimRequest, claim, failure -> endOf(due, failure, operation.options()));
        running.put(key.localKey(), call);
        try {
            executor.execute(() -> {
                try {
                    make(call, method, due, operation, isUnfinished);
                } finally {
                    running.remove(key.localKey());
                }
            });
        } catch (RuntimeException | Error noThread) {
            running.remove(key.localKey());
            throw noThread;
        }
        return true;
    }

    private static Duration waitOf(CallOperation operation) {
        Duration part = operation.options().lease().duration().dividedBy(WAITS_IN_LEASE);
        return part.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : part;
    }

    private void change(Consumer<Connection> change) {
        transactions.<@Nullable Object>call(connection -> {
            change.accept(connection);
            return null;
        });
    }

    /** Returns the request, if it is the one that the message waits for, and has not ended. */
    private Optional<StoredRequest> find(DueCall due, CallOperation operation) {
        ClaimRequest request = new ClaimRequest(
                RequestKey.of(due.intent(), UNKNOWN),
                operation.options().retention().ofKey(),
                null,
                waitOf(operation),
                false,
                null);
        return transactions
                .call(connection -> store.find(connection, request))
                .filter(stored -> due.token().equals(String.valueOf(stored.claimToken())))
                .filter(stored -> stored.status() == RequestStatus.PROCESSING
                        || (stored.status() == RequestStatus.FAILED_RETRYABLE && stored.leaseRemaining() != null));
    }

    /** Returns the lease of the next attempt. If that does not end either, the one after it has the same pause as after a failure. */
    private Lease nextLease(DueCall due, CallOptions options) {
        int count = due.attempts() + 1;
        Duration nextAfter = options.lease().duration().plus(pauseAfter(count, options));
        return new Lease(
                UUID.randomUUID(), options.lease().duration(), due.arguments(), new Lease.Resumption(count, nextAfter));
    }

    /** The row must survive the pause. */
    private Duration pauseAfter(int count, CallOptions options) {
        Duration longest =
                options.retention().ofKey().minus(options.lease().duration()).dividedBy(2);
        return backoff.atMost(longest).after(count);
    }

    /** Decides what follows a failed attempt: another one after a pause, or none if instances have made all. */
    private ResumedCall.End endOf(DueCall due, Failure failure, CallOptions options) {
        if (failure.isFinal()) {
            return new ResumedCall.End(failure, null, false);
        }
        int count = due.attempts() + 1;
        if (count >= maxAttempts) {
            return abandoned(count, failure.code() + (failure.message().isEmpty() ? "" : ": " + failure.message()));
        }
        return new ResumedCall.End(failure, pauseAfter(count, options), false);
    }

    /** Returns the end of a call that is not attempted again, and whose effect may exist. */
    private static ResumedCall.End abandoned(int count, String reason) {
        String message = "given up after " + count + " attempts to finish it without its caller: " + reason;
        return new ResumedCall.End(new Failure(false, "abandoned", message), null, true);
    }

    private void make(ResumedCall call, Invocation method, DueCall due, CallOperation operation, boolean isUnfinished) {
        long start = System.nanoTime();
        if (isUnfinished && due.attempts() >= maxAttempts) {
            String reason = "its process ended, or lost the database, before the call had ended";
            IllegalStateException lost = new IllegalStateException(reason);
            end(call, () -> abandoned(due.attempts(), reason), lost);
            publish(due, call, due.attempts(), lost, start);
            return;
        }
        Throwable failure = failureOf(call, method, operation);
        if (failure != null && !call.hasReachedKey()) {
            end(call, () -> call.endOf(translated(failure)), failure);
        }
        publish(due, call, due.attempts() + 1, failure, start);
    }

    /** Makes the call. Returns its failure; null if it has none, or its end is recorded with it. */
    private static @Nullable Throwable failureOf(ResumedCall call, Invocation method, CallOperation operation) {
        try {
            call.make(method);
        } catch (Throwable thrown) {
            return thrown;
        }
        if (call.hasReturned() || call.failure() != null) {
            return null;
        }
        return new IllegalStateException("An interceptor or a mock has answered the call of " + operation.describe()
                + (call.hasReachedKey() ? " and has swallowed its failure" : " without calling it"));
    }

    private Failure translated(Throwable failure) {
        String message = failure.getMessage();
        return new Failure(false, translator.codeOf(failure), message == null ? "" : message);
    }

    /** Leaves a call to an instance of another version. */
    private void postpone(DueCall due, OtherVersionException otherVersion) {
        Duration pause = otherVersions.leave(due.intent().scope(), due.waited(), otherVersion);
        change(connection -> messages.postpone(
                connection, due, pause, StorableText.of(String.valueOf(otherVersion.getMessage()), MAX_REASON_LENGTH)));
    }

    private IdempotentCall callOf(Intent intent, Fingerprint fingerprint, CallOperation operation) {
        return new IdempotentCall(
                RequestKey.of(intent, fingerprint),
                databaseResolver.resolveDatabase(),
                operation.options(),
                operation.responseType());
    }

    /** Records the end of an attempt that did not reach its key. If that fails, the lease expires and the call is due again. */
    private void end(ResumedCall call, Supplier<ResumedCall.End> decision, Throwable failure) {
        try {
            ResumedCall.End end = decision.get();
            if (transactions.commit(connection -> end.record(store, connection, call.fence()))) {
                call.ended(end, failure);
            }
        } catch (Throwable recordingFailure) {
            Suppression.add(failure, recordingFailure);
        }
    }

    private void publish(DueCall due, ResumedCall call, int attempt, @Nullable Throwable thrown, long start) {
        ResumedCall.End end = call.end();
        String scope = due.intent().scope();
        if (end == null ? call.hasReturned() : end.failure().isFinal()) {
            Duration latency = due.waited().plusNanos(System.nanoTime() - start);
            listener.messageSent(new MessageSent(due.messageId(), DueCall.TOPIC, scope, attempt, latency));
            return;
        }
        Throwable failure = requireNonNull(call.failure() == null ? thrown : call.failure());
        boolean isDead = end != null && end.isAbandoned();
        listener.messageSendFailed(new MessageSendFailed(
                due.messageId(), DueCall.TOPIC, scope, attempt, isDead, isDead ? withAdvice(failure) : failure));
    }

    private static Throwable withAdvice(Throwable failure) {
        return new IllegalStateException(
                "nobody knows whether the call has had its effect, so find that out first. Its last failure was "
                        + failure,
                failure);
    }
}
