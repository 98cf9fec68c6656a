package io.idempotency.internal.call;

import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.idempotency.CallerResolver;
import io.idempotency.DatabaseResolver;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.PrintableText;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.OutcomePublisher;
import io.idempotency.internal.call.attempt.ResumedCall;
import io.idempotency.internal.call.attempt.TransactionalAttempt;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.operation.CallOperation;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationKind;
import io.idempotency.internal.operation.ResultReference;
import io.idempotency.internal.ownership.NameOwners;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallObserver;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StepEnded;

/**
 * Computes intent and fingerprint of a request, once for each call: the first step of {@link IdempotentCallExecutor}, before any
 * transaction begins. Publishes its outcome as events.
 */
public final class CallBinding implements CallBinder {

    private final CallerResolver callerResolver;

    private final DatabaseResolver databaseResolver;

    private final NameOwners owners;

    private final Fingerprinter fingerprinter;

    private final FingerprintContributor contributor;

    private final ResponseMapper codecs;

    private final IdempotencyListener listener;

    private final CallObserver observer;

    /**
     * Creates the binding.
     *
     * @param codecs writes the arguments of calls that may be resumed
     * @param observer is told of the start and the end of every call; throws nothing
     */
    public CallBinding(
            CallerResolver callerResolver,
            DatabaseResolver databaseResolver,
            NameOwners owners,
            Fingerprinter fingerprinter,
            FingerprintContributor contributor,
            ResponseMapper codecs,
            IdempotencyListener listener,
            CallObserver observer) {
        this.callerResolver = callerResolver;
        this.databaseResolver = databaseResolver;
        this.owners = owners;
        this.fingerprinter = fingerprinter;
        this.contributor = contributor;
        this.codecs = codecs;
        this.listener = listener;
        this.observer = observer;
    }

    @Override
    public OperationKind kind() {
        return CallOperation.KIND;
    }

    @Override
    public OutcomePublisher begin(String scope) {
        return new Publisher(scope, observer.callStarted(scope));
    }

    @Override
    public IdempotentCall bind(IdempotentOperation annotated, Object target, @Nullable Object[] arguments) {
        CallOperation operation = (CallOperation) annotated;
        IdempotencyKey key = operation.key(target, arguments);
        Intent intent = new Intent(operation.scope(), resolveCaller(), key);
        Fingerprint fingerprint = fingerprinter.within(
                operation.fingerprint(target, arguments, fingerprinter), contributor.of(operation.method()));
        Object database = databaseOf(operation.scope());
        ResumedCall resumed = ResumedCall.enter(intent, fingerprint);
        return new IdempotentCall(
                RequestKey.of(intent, resumed == null ? fingerprint : resumed.fingerprint()),
                database,
                operation.options(),
                operation.responseType(),
                resultNaming(operation.resultReference(), target, arguments),
                TransactionalAttempt::new,
                resumed == null ? write(operation, intent, arguments) : resumed.arguments(),
                resumed);
    }

    /** Requires that the scope belongs to this application in the database on which this thread works. */
    private Object databaseOf(String scope) {
        Object database = databaseResolver.resolveDatabase();
        owners.require(database, CallOperation.KIND.scopeName(), scope);
        return database;
    }

    private @Nullable Map<String, String> write(CallOperation operation, Intent intent, @Nullable Object[] arguments) {
        Map<String, Type> parameters = operation.storedArguments();
        if (parameters == null) {
            return null;
        }
        Map<String, String> json = new LinkedHashMap<>();
        parameters.forEach(
                (name, type) -> json.put(name, codecs.writeArgument(intent, arguments[json.size()], type, name)));
        return json;
    }

    public IdempotentCall bind(
            String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable Object request,
            CallOptions options,
            Type responseType) {
        if (key == null) {
            throw new MissingIdempotencyKeyException("A call in scope '" + scope
                    + "' has no key: it needs one that the caller chose for this one intent");
        }
        IdempotencyKey.findProblem(key).ifPresent(problem -> {
            throw new InvalidIdempotencyKeyException("The key of a call in scope '" + scope + "' " + problem);
        });
        IdempotencyKey checkedKey = new IdempotencyKey(key);
        Intent intent = new Intent(scope, caller == null ? resolveCaller() : caller, checkedKey);
        return new IdempotentCall(
                RequestKey.of(intent, fingerprintOf(request, scope)), databaseOf(scope), options, responseType);
    }

    private Fingerprint fingerprintOf(@Nullable Object request, String scope) {
        try {
            return fingerprinter.of(request);
        } catch (PayloadNotFingerprintableException failure) {
            throw new PayloadNotFingerprintableException(
                    "The request of a call in scope '" + scope + "': " + failure.getMessage()
                            + ". To compare something else, give it to call(scope, key, request)",
                    failure.getCause());
        }
    }

    /** An invalid caller is the bug of the CallerResolver and not of the client, so it is no invalid key. */
    private String resolveCaller() {
        String resumed = ResumedCall.currentCaller();
        @Nullable String caller = resumed == null ? callerResolver.resolveCaller() : resumed;
        if (caller == null) {
            throw new IllegalStateException("The CallerResolver "
                    + callerResolver.getClass().getName()
                    + " returned null: it must return the empty string if there is no caller to tell apart");
        }
        PrintableText.findProblem(caller, 0, Intent.MAX_CALLER_LENGTH).ifPresent(problem -> {
            throw new IllegalStateException("The caller that the CallerResolver "
                    + callerResolver.getClass().getName() + " returned " + problem
                    + ": define one that gives another name for the same caller");
        });
        return caller;
    }

    private static IdempotentCall.@Nullable ResultNaming resultNaming(
            @Nullable ResultReference reference, Object target, @Nullable Object[] arguments) {
        if (reference == null) {
            return null;
        }
        return new IdempotentCall.ResultNaming() {
            @Override
            public @Nullable String type() {
                return reference.type();
            }

            @Override
            public @Nullable String id(@Nullable Object result) {
                return reference.id(target, arguments, result);
            }
        };
    }

    private final class Publisher implements OutcomePublisher {

        private final String scope;

        private final CallObserver.Observed<CallCompleted> observed;

        Publisher(String scope, CallObserver.Observed<CallCompleted> observed) {
            this.scope = scope;
            this.observed = observed;
        }

        @Override
        public void retried(IdempotentCall call, int attempts, Throwable failure) {
            listener.callRetried(new CallRetried(call.intent(), attempts, SqlStates.of(failure), failure));
        }

        @Override
        public void stepEnded(IdempotentCall call, String name, boolean isReplayed) {
            listener.stepEnded(new StepEnded(call.intent(), name, isReplayed));
        }

        @Override
        public void returns(CallExecution.Ended call) {
            observed.ended(event(call));
        }

        @Override
        public void ended(CallExecution.Ended call) {
            listener.callCompleted(event(call));
        }

        private CallCompleted event(CallExecution.Ended call) {
            return new CallCompleted(
                    scope, call.intent(), call.outcome(), call.attempt(), call.duration(), call.failure());
        }
    }
}
