package io.idempotency.internal.operation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.response.ResponseMapper;

/** The rule that the codec can read back a response, unless the annotation allows a lossy response. */
final class StorableResponseRule {

    private final Supplier<ResponseMapper> responses;

    private final Set<CallOperation> storable = ConcurrentHashMap.newKeySet();

    StorableResponseRule(Supplier<ResponseMapper> responses) {
        this.responses = responses;
    }

    void check(CallOperation operation) {
        if (operation.responseType() != void.class
                && !operation.options().lossyResponse()
                && !storable.contains(operation)) {
            try {
                responses.get().requireStorable(operation.responseType());
            } catch (IdempotencyStartupException unstorable) {
                throw new InvalidIdempotentMethodException(
                        "The idempotent method " + operation.describe() + " returns " + unstorable.problem(),
                        unstorable.action());
            }
            storable.add(operation);
        }
    }
}
