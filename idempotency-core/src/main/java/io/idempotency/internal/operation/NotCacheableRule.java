package io.idempotency.internal.operation;

import java.util.Collection;

import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheableOperation;

import io.idempotency.InvalidIdempotentMethodException;

/** A cache answers before the claim is reached, with what may belong to another key or was rolled back. */
final class NotCacheableRule implements OperationRule {

    private final AnnotationCacheOperationSource cacheOperations = new AnnotationCacheOperationSource(false);

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        Collection<CacheOperation> found = cacheOperations.getCacheOperations(operation.method(), targetClass);
        if (found != null && found.stream().anyMatch(CacheableOperation.class::isInstance)) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " is @Cacheable too: the cache would answer calls"
                            + " in the place of the stored response.",
                    "Remove @Cacheable; a repeated call does not run the method anyway.");
        }
    }
}
