package io.idempotency.operation;

import java.math.BigInteger;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;

import io.idempotency.IdempotencyKey;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;

/** Makes a key of what a key expression gives. */
final class KeyValue {

    /** Types whose text is the value itself; the text of others may be an address in memory. */
    private static final Set<Class<?>> TYPES_WITH_STABLE_TEXT =
            Set.of(UUID.class, Byte.class, Short.class, Integer.class, Long.class, BigInteger.class, Character.class);

    private static final Set<SpelMessage> NULL_ON_THE_WAY = Set.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

    private KeyValue() {}

    static IdempotencyKey toKey(String expression, String scope, Supplier<@Nullable Object> evaluation) {
        Object value;
        try {
            value = evaluation.get();
        } catch (MissingIdempotencyKeyException | InvalidIdempotencyKeyException refused) {
            throw refused;
        } catch (SpelEvaluationException failure) {
            if (NULL_ON_THE_WAY.contains(failure.getMessageCode())) {
                throw missing(expression, scope);
            }
            throw notComputable(expression, scope, failure);
        } catch (RuntimeException failure) {
            throw notComputable(expression, scope, failure);
        }
        if (value == null) {
            throw missing(expression, scope);
        }
        if (value instanceof IdempotencyKey key) {
            return key;
        }
        if (value instanceof CharSequence
                || value instanceof Enum<?>
                || TYPES_WITH_STABLE_TEXT.contains(value.getClass())) {
            return new IdempotencyKey(value instanceof Enum<?> constant ? constant.name() : value.toString());
        }
        throw new InvalidIdempotencyKeyException("The key expression '" + expression + "' of scope '" + scope
                + "' gives a " + value.getClass().getName()
                + ": it must give a string, an IdempotencyKey, a UUID, an enum constant or a whole number");
    }

    private static MissingIdempotencyKeyException missing(String expression, String scope) {
        return new MissingIdempotencyKeyException("The key expression '" + expression + "' of scope '" + scope
                + "' gives no key: a call needs a key that the caller chose for this one intent");
    }

    private static InvalidIdempotencyKeyException notComputable(
            String expression, String scope, RuntimeException failure) {
        return new InvalidIdempotencyKeyException(
                "The key expression '" + expression + "' of scope '" + scope + "' failed: " + failure.getMessage(),
                failure);
    }
}
