package io.idempotency.internal.operation;

import java.util.Collection;

import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheableOperation;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule against {@code @Cacheable}: a cache answers before the claim, perhaps with the result of another key or of a
 * rolled back call.
 */
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
