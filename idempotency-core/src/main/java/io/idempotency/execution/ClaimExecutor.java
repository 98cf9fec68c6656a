package io.idempotency.execution;

import java.sql.Connection;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.ClaimAbandonedException;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyContextHolder;
import io.idempotency.Intent;
import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.TransactionFailedException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.claim.Claim;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.ClaimStore;
import io.idempotency.claim.Completion;
import io.idempotency.codec.ResponseMapper;
import io.idempotency.operation.IdempotentOperation;

/**
 * What is innermost in a call: inside the transaction it claims the key, and then runs the method and stores its
 * response, or replays the stored one, or refuses. Whatever it throws rolls the transaction back, checked exceptions
 * too.
 */
public final class ClaimExecutor {

    private static final Duration SHORTEST_RETRY_AFTER = Duration.ofSeconds(1);

    private final ClaimStore store;

    private final CallTransactions transactions;

    private final ResponseMapper responses;

    private final CallDefaults defaults;

    /**
     * Creates the executor.
     *
     * @param store where keys are claimed
     * @param transactions finds or opens the transaction of a call
     * @param responses writes and reads what is stored
     * @param defaults for what a call leaves open
     */
    public ClaimExecutor(
            ClaimStore store, CallTransactions transactions, ResponseMapper responses, CallDefaults defaults) {
        this.store = store;
        this.transactions = transactions;
        this.responses = responses;
        this.defaults = defaults;
    }

    /**
     * Executes a call of an annotated method that came through its boundary.
     *
     * @param operation what its annotation says
     * @param invocation the method
     * @return the result of the method, or the stored one
     * @throws Throwable whatever the method threw, or an {@link io.idempotency.IdempotencyException}
     */
    public @Nullable Object execute(IdempotentOperation operation, Invocation invocation) throws Throwable {
        return execute(operation, operation.describe(), invocation);
    }

    @Nullable Object execute(Object site, String description, Invocation invocation) throws Throwable {
        RunningCall running = RunningCall.claiming(site, description);
        IdempotentCall call = running.call();
        return transactions.call(call.intent(), running.declaredTransaction(), transaction -> {
            TransactionEnd end = TransactionEnd.await(transaction, running.report());
            Connection connection = transaction.connection();
            try {
                ClaimRequest request = requestFor(call, transaction);
                HeldKeys.requireNotHeld(request.id(), call.intent(), transaction.holder());
                return store.claim(connection, request)
                        .handledBy(new ClaimHandler(call, request, transaction, connection, end, invocation));
            } catch (Throwable failure) {
                transaction.setRollbackOnly();
                throw failure;
            } finally {
                transaction.release(connection);
            }
        });
    }

    private ClaimRequest requestFor(IdempotentCall call, CallTransaction transaction) {
        return new ClaimRequest(
                call.intent(),
                call.fingerprint(),
                defaults.retentionOf(call.terms()),
                transaction.limit(defaults.waitLimitOf(call.terms())),
                call.isCompleteWithClaim());
    }

    /** What each kind of claim means for the call that made it. */
    private final class ClaimHandler implements Claim.Handler {

        private final IdempotentCall call;

        private final ClaimRequest request;

        private final CallTransaction transaction;

        private final Connection connection;

        private final TransactionEnd end;

        private final Invocation invocation;

        ClaimHandler(
                IdempotentCall call,
                ClaimRequest request,
                CallTransaction transaction,
                Connection connection,
                TransactionEnd end,
                Invocation invocation) {
            this.call = call;
            this.request = request;
            this.transaction = transaction;
            this.connection = connection;
            this.end = end;
            this.invocation = invocation;
        }

        @Override
        public @Nullable Object granted(Claim.Granted claim) throws Throwable {
            HeldKeys.HeldKey held = HeldKeys.hold(request.id(), transaction.holder());
            end.releases(held);
            try {
                Object result = runMethod(claim.attempt());
                // Before the flush too, which would fail for another reason in an aborted transaction.
                requireCommittable();
                transaction.flush();
                requireCommittable();
                if (!call.isCompleteWithClaim()) {
                    complete(result);
                }
                held.completed();
                end.found(Outcome.EXECUTED);
                return result;
            } catch (Throwable failure) {
                held.failed();
                throw failure;
            }
        }

        private @Nullable Object runMethod(int attempt) throws Throwable {
            IdempotencyContext outer = IdempotencyContextHolder.exchange(new CallContext(call.intent(), attempt));
            try {
                return invocation.proceed();
            } finally {
                IdempotencyContextHolder.exchange(outer);
            }
        }

        private void requireCommittable() {
            if (transaction.isRollbackOnly()) {
                throw new TransactionFailedException(
                        call.intent(),
                        "its transaction was marked rollback-only: let the exception that caused it leave the method, or"
                                + " throw one instead of setting rollback-only");
            }
            switch (store.transactionState(connection)) {
                case OPEN -> {}
                case ABORTED ->
                    throw new TransactionFailedException(
                            call.intent(),
                            "a failed SQL statement was swallowed, so PostgreSQL would turn the commit into a rollback:"
                                    + " let the exception leave the method, or set a savepoint before the statement");
                case ENDED ->
                    throw new TransactionFailedException(
                            call.intent(),
                            "it had ended the transaction itself: never commit, roll back or switch auto-commit on the"
                                    + " connection inside an idempotent method");
            }
        }

        private void complete(@Nullable Object result) {
            String body = call.hasResponse()
                    ? responses.write(call.intent(), result, call.responseType())
                    : ResponseMapper.NULL_BODY;
            IdempotentCall.ResultNaming naming = call.resultNaming();
            store.complete(
                    connection,
                    new Completion(
                            request.id(),
                            body,
                            naming == null ? null : naming.type(),
                            naming == null ? null : naming.id(result)));
        }

        @Override
        public @Nullable Object succeeded(Claim.Succeeded claim) {
            Object response;
            try {
                response = call.hasResponse()
                        ? responses.read(call.intent(), claim.responseBody(), call.responseType())
                        : null;
            } catch (UnreadableResponseException unreadable) {
                end.found(Outcome.UNREADABLE);
                throw unreadable;
            }
            end.found(Outcome.REPLAYED);
            return response;
        }

        @Override
        public @Nullable Object responseExpired(Claim.ResponseExpired claim) {
            end.found(Outcome.RESPONSE_EXPIRED);
            throw new ResponseExpiredException(call.intent());
        }

        @Override
        public @Nullable Object inProgress(Claim.InProgress claim) {
            end.found(Outcome.IN_PROGRESS);
            Duration waited = request.waitLimit();
            throw new RequestInProgressException(
                    call.intent(),
                    waited.compareTo(SHORTEST_RETRY_AFTER) < 0 ? SHORTEST_RETRY_AFTER : waited,
                    "The " + call.intent() + " could not be claimed within " + waited.toMillis()
                            + " ms, because another call with it is still running or its table is locked: repeat this"
                            + " call later with the same key"
                            + (transaction.isOwn()
                                    ? ""
                                    : ". The transaction that this call joined was aborted with the wait"),
                    claim.waitEnded());
        }

        @Override
        public @Nullable Object keyReused(Claim.KeyReused claim) {
            end.found(Outcome.KEY_REUSED);
            throw new KeyReusedException(call.intent());
        }

        @Override
        public @Nullable Object abandoned(Claim.Abandoned claim) {
            end.found(Outcome.ABANDONED);
            throw new ClaimAbandonedException(call.intent());
        }
    }

    private record CallContext(Intent intent, int attempt) implements IdempotencyContext {}
}
