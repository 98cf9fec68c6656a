package io.idempotency.internal.template;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

import io.idempotency.DuplicatePolicy;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Intent;
import io.idempotency.internal.call.CallBinding;
import io.idempotency.internal.call.IdempotentCallExecutor;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.CallParts;
import io.idempotency.internal.call.attempt.Effect;
import io.idempotency.internal.call.attempt.Rethrow;
import io.idempotency.internal.call.attempt.TransactionalAttempt;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.RetentionPolicy;
import io.idempotency.internal.write.WriteBuilder;

/** Executes programmatic calls, on the same path as calls of annotated methods. */
public final class IdempotencyTemplate implements IdempotencyOperations {

    private final CallBinding binding;

    private final IdempotentCallExecutor executor;

    private final CallParts parts;

    private final RetentionPolicy retention;

    public IdempotencyTemplate(
            CallBinding binding, IdempotentCallExecutor executor, CallParts parts, RetentionPolicy retention) {
        this.binding = binding;
        this.executor = executor;
        this.parts = parts;
        this.retention = retention;
    }

    @Override
    public Call call(String scope, @Nullable String key, @Nullable Object request) {
        return new TemplateCall(Intent.requireScope(scope), key, request, null, retention.defaults());
    }

    private final class TemplateCall implements Call {

        private final String scope;

        private final @Nullable String key;

        private final @Nullable Object request;

        private final @Nullable String caller;

        private final CallOptions options;

        TemplateCall(
                String scope,
                @Nullable String key,
                @Nullable Object request,
                @Nullable String caller,
                CallOptions options) {
            this.scope = scope;
            this.key = key;
            this.request = request;
            this.caller = caller;
            this.options = options;
        }

        @Override
        public Call caller(String changed) {
            return new TemplateCall(scope, key, request, changed, options);
        }

        @Override
        public Call retention(Duration changed) {
            return with(options.withRetention(retention.requireForCall(changed)));
        }

        @Override
        public Call onDuplicate(DuplicatePolicy changed) {
            return with(options.withOnDuplicate(changed));
        }

        @Override
        public Call waitTimeout(Duration changed) {
            return with(options.withWaitTimeout(changed));
        }

        @Override
        public Call leased(Duration lease) {
            return with(options.withLease(lease));
        }

        @Override
        public Call optimistic() {
            return with(options.withOptimisticMode());
        }

        @Override
        public Call finalFailures(List<Class<? extends Throwable>> changed) {
            return with(options.withFinalFailures(changed));
        }

        @Override
        public Call lossyResponse() {
            return with(options.withLossyResponse());
        }

        private Call with(CallOptions changed) {
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
        public Write write() {
            if (options.mode().commitsClaimFirst()) {
                throw new IllegalArgumentException(
                        "A write cannot be leased: its key is committed together with its statements");
            }
            return new WriteBuilder(parts, this::execute);
        }

        @Override
        public <X extends Exception> void run(Action<X> action) throws X {
            execute(void.class, () -> {
                action.run();
                return null;
            });
        }

        private @Nullable Object execute(Type responseType, Effect effect) {
            return execute(responseType, effect, null);
        }

        private @Nullable Object execute(
                Type responseType,
                Effect effect,
                @Nullable Function<CallExecution, TransactionalAttempt> firstAttempt) {
            retention.requireForCall(options);
            try {
                return executor.execute(
                        binding.begin(scope),
                        () -> binding.bind(scope, caller, key, request, options, responseType),
                        effect,
                        firstAttempt);
            } catch (Throwable failure) {
                throw Rethrow.unchanged(failure);
            }
        }
    }

    private record TemplateReturning<T>(TemplateCall call, Type responseType) implements Returning<T> {

        @Override
        @SuppressWarnings("unchecked") // The response type is the type of T.
        public <X extends Exception> @Nullable T execute(Callback<? extends @Nullable T, X> callback) {
            return (T) call.execute(responseType, callback::call);
        }
    }
}
