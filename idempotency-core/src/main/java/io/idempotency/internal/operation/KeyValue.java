package io.idempotency.internal.operation;

import java.math.BigInteger;
import java.time.LocalDate;
import java.time.YearMonth;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.util.ClassUtils;

import io.idempotency.ExpressionFailedException;
import io.idempotency.IdempotencyKey;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;

/**
 * A conversion of an expression's value to a key or a number.
 *
 * @param owner kind of its owner, such as a scope
 * @param requirement requirement for the value, as the end of an error message
 */
public record KeyValue(String noun, String owner, String ownerName, String requirement) {

    /** Types whose text is the value itself; the text of others may be an address in memory. */
    private static final Set<Class<?>> TYPES_WITH_STABLE_TEXT = Set.of(
            IdempotencyKey.class,
            UUID.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            BigInteger.class,
            Character.class,
            LocalDate.class,
            YearMonth.class);

    static final String TEXT = "a string, an IdempotencyKey, a UUID, an enum constant, a whole number or a LocalDate";

    private static final Set<Class<?>> WHOLE_NUMBERS = Set.of(Byte.class, Short.class, Integer.class, Long.class);

    private static final int LONG_BITS = 63;

    private static final Set<SpelMessage> NULL_IN_PATH = Set.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

    private static final Set<SpelMessage> OUT_OF_BOUNDS = Set.of(
            SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS,
            SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
            SpelMessage.STRING_INDEX_OUT_OF_BOUNDS);

    private static final String ADVICE = "; if that is right, write what stands for it, as in (#id ?: 'none')";

    static KeyValue ofScope(String scope) {
        return new KeyValue("key", "scope", scope, "a call needs a key that the caller chose for this one intent");
    }

    /** Returns whether an object of a declared type may be a key. */
    static boolean mayBe(Class<?> declared) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(declared);
        boolean isUnknown = type.isInterface() && !type.getName().startsWith("java.");
        return isUnknown
                || CharSequence.class.isAssignableFrom(type)
                || Enum.class.isAssignableFrom(type)
                || Stream.concat(Stream.of(String.class, Enum.class), TYPES_WITH_STABLE_TEXT.stream())
                        .anyMatch(type::isAssignableFrom);
    }

    /** Returns whether an object of a declared type may be a whole number. */
    static boolean mayBeWholeNumber(Class<?> declared) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(declared);
        return type.isAssignableFrom(BigInteger.class) || WHOLE_NUMBERS.stream().anyMatch(type::isAssignableFrom);
    }

    private String ownerText() {
        return owner + " '" + ownerName + "'";
    }

    IdempotencyKey key(ArgumentExpression expression, Object target, @Nullable Object[] arguments) {
        Object value = evaluate(expression, target, arguments);
        return value instanceof IdempotencyKey key
                ? key
                : new IdempotencyKey(requireWellFormed(textOf(expression, value)));
    }

    /**
     * Evaluates an expression whose value is a text.
     *
     * @throws MissingIdempotencyKeyException if it gives {@code null}
     * @throws InvalidIdempotencyKeyException if its value is not well-formed, or it fails
     */
    public String text(ArgumentExpression expression, Object target, @Nullable Object[] arguments) {
        Object value = evaluate(expression, target, arguments);
        return value instanceof IdempotencyKey key ? key.value() : requireWellFormed(textOf(expression, value));
    }

    private String requireWellFormed(String text) {
        Optional<String> problem = IdempotencyKey.findProblem(text);
        if (problem.isPresent()) {
            throw invalid("The " + noun + " of " + ownerText() + " " + problem.get(), null);
        }
        return text;
    }

    /**
     * Evaluates an expression whose value is a whole number of 64 bits.
     *
     * @throws MissingIdempotencyKeyException if it gives {@code null}
     * @throws InvalidIdempotencyKeyException if its value is not such a number, or it fails
     */
    public long wholeNumber(ArgumentExpression expression, Object target, @Nullable Object[] arguments) {
        Object value = evaluate(expression, target, arguments);
        if (value instanceof BigInteger big && big.bitLength() <= LONG_BITS) {
            return big.longValue();
        }
        if (value instanceof Number number && WHOLE_NUMBERS.contains(value.getClass())) {
            return number.longValue();
        }
        throw invalid(
                "The " + noun + " expression '" + expression.text() + "' of " + ownerText() + " gives a "
                        + value.getClass().getName() + " that is not a whole number of 64 bits: " + requirement,
                null);
    }

    private Object evaluate(ArgumentExpression expression, Object target, @Nullable Object[] arguments) {
        Object value;
        try {
            value = expression.evaluateParts(target, arguments, part -> partOf(expression, part));
        } catch (KeyParts.MissingPartException missing) {
            throw missing(expression, ", because " + missing.getMessage() + ADVICE);
        } catch (MissingIdempotencyKeyException | InvalidIdempotencyKeyException refused) {
            throw refused;
        } catch (ExpressionFailedException failure) {
            throw refusalOf(expression, failure);
        } catch (RuntimeException failure) {
            throw notComputable(expression, failure);
        }
        if (value == null) {
            throw missing(expression, ": " + requirement);
        }
        return value;
    }

    /**
     * Returns a key exception if the error depends on the value, which is the client's fault; other errors are the
     * developer's fault.
     */
    private RuntimeException refusalOf(ArgumentExpression expression, ExpressionFailedException failure) {
        SpelMessage message = failure.getCause() instanceof SpelEvaluationException spel ? spel.getMessageCode() : null;
        if (message != null && NULL_IN_PATH.contains(message)) {
            return missing(expression, ": " + requirement);
        }
        return message != null && OUT_OF_BOUNDS.contains(message) ? notComputable(expression, failure) : failure;
    }

    private String partOf(ArgumentExpression expression, Object value) {
        return value instanceof Boolean ? value.toString() : textOf(expression, value);
    }

    private String textOf(ArgumentExpression expression, Object value) {
        if (value instanceof CharSequence
                || value instanceof Enum<?>
                || TYPES_WITH_STABLE_TEXT.contains(value.getClass())) {
            return value instanceof Enum<?> constant ? constant.name() : value.toString();
        }
        throw invalid(
                "The " + noun + " expression '" + expression.text() + "' of " + ownerText()
                        + " gives a " + value.getClass().getName()
                        + ": it must give " + TEXT,
                null);
    }

    private MissingIdempotencyKeyException missing(ArgumentExpression expression, String reason) {
        return new MissingIdempotencyKeyException(
                "The " + noun + " expression '" + expression.text() + "' of " + ownerText() + " gives no " + noun
                        + reason,
                noun);
    }

    private InvalidIdempotencyKeyException notComputable(ArgumentExpression expression, RuntimeException failure) {
        return invalid(
                "The " + noun + " expression '" + expression.text() + "' of " + ownerText() + " failed: "
                        + failure.getMessage(),
                failure);
    }

    private InvalidIdempotencyKeyException invalid(String message, @Nullable RuntimeException failure) {
        return new InvalidIdempotencyKeyException(message, noun, failure);
    }
}
