package io.idempotency.internal.codec;

import java.math.BigDecimal;
import java.math.BigInteger;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.util.JsonGeneratorDelegate;

/** How much work a fingerprint may be: what a client sends must not keep a processor busy for seconds. */
final class PayloadBounds {

    /** Writing digits takes time that grows with the square of their number. */
    private static final int MAX_DIGITS = 10_000;

    private static final BigInteger FIRST_TOO_LONG = BigInteger.TEN.pow(MAX_DIGITS);

    /** Of each object whose members are not in their order, and of each set: a value counts once for each that it is in. */
    private static final long MAX_SORTED_BYTES = 128L * 1024 * 1024;

    private PayloadBounds() {}

    static void check(@Nullable BigInteger number) {
        if (number != null && number.abs().compareTo(FIRST_TOO_LONG) >= 0) {
            throw new ExceededException("A number has more than " + MAX_DIGITS + " digits");
        }
    }

    static void check(@Nullable BigDecimal number) {
        if (number != null) {
            check(number.unscaledValue());
        }
    }

    static void checkSorted(long bytes) {
        if (bytes > MAX_SORTED_BYTES) {
            throw new ExceededException(
                    "It is too large for how deeply it is nested: sorting the members of its objects"
                            + " copies more than " + MAX_SORTED_BYTES + " bytes");
        }
    }

    /** Refuses numbers before they are written as JSON. */
    static JsonGenerator bound(JsonGenerator generator) {
        return new JsonGeneratorDelegate(generator) {
            @Override
            public JsonGenerator writeNumber(@Nullable BigInteger value) {
                check(value);
                return super.writeNumber(value);
            }

            @Override
            public JsonGenerator writeNumber(@Nullable BigDecimal value) {
                check(value);
                return super.writeNumber(value);
            }

            /** Jackson's delegate ignores them. */
            @Override
            public JsonGenerator setCharacterEscapes(CharacterEscapes escapes) {
                delegate.setCharacterEscapes(escapes);
                return this;
            }
        };
    }

    /** Tells which bound, and no value. */
    static final class ExceededException extends StreamWriteException {

        private static final long serialVersionUID = 1L;

        ExceededException(String message) {
            super(null, message);
        }
    }
}
