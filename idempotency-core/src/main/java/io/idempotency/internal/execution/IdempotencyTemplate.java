package io.idempotency.internal.execution;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

import io.idempotency.DuplicatePolicy;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Intent;
import io.idempotency.internal.operation.CallTerms;
import io.idempotency.internal.operation.RetentionPolicy;

/** Executes programmatic calls by the same boundary and the same executor as annotated methods. */
public final class IdempotencyTemplate implements IdempotencyOperations {

    private final CallBinding binding;

    private final IdempotentCallExecutor boundary;

    private final ClaimInTransaction executor;

    private final RetentionPolicy retention;

    /**
     * Creates the template.
     *
     * @param binding computes fingerprints
     * @param boundary surrounds every call
     * @param executor runs or replays it
     * @param retention how long keys must be kept at least
     */
    public IdempotencyTemplate(
            CallBinding binding,
            IdempotentCallExecutor boundary,
            ClaimInTransaction executor,
            RetentionPolicy retention) {
        this.binding = binding;
        this.boundary = boundary;
        this.executor = executor;
        this.retention = retention;
    }

    @Override
    public Call call(String scope, @Nullable String key, @Nullable Object request) {
        return new TemplateCall(Intent.requireScope(scope), key, request, null, CallTerms.DEFAULTS);
    }

    private final class TemplateCall implements Call {

        private final String scope;

        private final @Nullable String key;

        private final @Nullable Object request;

        private final @Nullable String caller;

        private final CallTerms terms;

        TemplateCall(
                String scope,
                @Nullable String key,
                @Nullable Object request,
                @Nullable String caller,
                CallTerms terms) {
            this.scope = scope;
            this.key = key;
            this.request = request;
            this.caller = caller;
            this.terms = terms;
        }

        @Override
        public Call caller(String changed) {
            return new TemplateCall(scope, key, request, changed, terms);
        }

        @Override
        public Call retention(Duration changed) {
            return with(terms.withRetention(retention.requireForCall(changed)));
        }

        @Override
        public Call onDuplicate(DuplicatePolicy changed) {
            return with(terms.withOnDuplicate(changed));
        }

        @Override
        public Call waitTimeout(Duration changed) {
            return with(terms.withWaitTimeout(changed));
        }

        @Override
        public Call leased(Duration lease) {
            return with(terms.withLease(lease));
        }

        @Override
        public Call finalFailures(List<Class<? extends Throwable>> changed) {
            return with(terms.withFinalFailures(changed));
        }

        @Override
        public Call lossyResponse() {
            return with(terms.withLossyResponse());
        }

        private Call with(CallTerms changed) {
            return new TemplateCall(scope, key, request, caller, changed);
        }

        @Override
        public <T> Returning<T> returning(Class<T> responseType) {
            return new TemplateReturning<>(this, responseType);
        }

        @Override
        public <T> Returning<T> returning(ParameterizedTypeReference<T> responseType) {
            return new TemplateReturning<>(this, responseType.getType());
        }

        @Override
        public <X extends Exception> void run(Action<X> action) throws X {
            execute(void.class, () -> {
                action.run();
                return null;
            });
        }

        private @Nullable Object execute(Type responseType, Invocation effect) {
            retention.requireForLease(terms);
            try {
                return boundary.execute(
                        IdempotencyTemplate.this,
                        binding.prepare(scope, () -> binding.bind(scope, caller, key, request, terms, responseType)),
                        () -> executor.execute(IdempotencyTemplate.this, () -> "scope '" + scope + "'", effect));
            } catch (Throwable failure) {
                throw Rethrow.unchanged(failure);
            }
        }
    }

    private record TemplateReturning<T>(TemplateCall call, Type responseType) implements Returning<T> {

        @Override
        @SuppressWarnings("unchecked") // The response type is that of T, by both ways of naming it.
        public <X extends Exception> @Nullable T execute(Callback<? extends @Nullable T, X> callback) {
            return (T) call.execute(responseType, callback::call);
        }
    }
}
