package io.idempotency.internal.fingerprint;

import java.math.BigDecimal;
import java.math.BigInteger;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.util.JsonGeneratorDelegate;

/** The limits of the work for a fingerprint, so that a client's payload cannot occupy a processor for seconds. */
final class PayloadBounds {

    /** The time to write a number grows with the square of its digits. */
    private static final int MAX_DIGITS = 10_000;

    private static final BigInteger FIRST_TOO_LONG = BigInteger.TEN.pow(MAX_DIGITS);

    /** The sum over all objects that were sorted and all sets; a nested value counts once for each of them. */
    private static final long MAX_SORTED_CHARACTERS = 128L * 1024 * 1024;

    private PayloadBounds() {}

    static void check(@Nullable BigInteger number) {
        if (number != null && number.abs().compareTo(FIRST_TOO_LONG) >= 0) {
            throw tooManyDigits();
        }
    }

    /** Checks an integer by its text in JSON, which has no leading zeros. */
    static void checkDigits(String integer) {
        if (integer.length() > MAX_DIGITS && integer.length() - (integer.startsWith("-") ? 1 : 0) > MAX_DIGITS) {
            throw tooManyDigits();
        }
    }

    private static RefusedPayloadException tooManyDigits() {
        return new RefusedPayloadException(
                "A number has more than " + MAX_DIGITS + " digits: refuse such payloads before");
    }

    static void check(@Nullable BigDecimal number) {
        if (number != null) {
            check(number.unscaledValue());
        }
    }

    static void checkSorted(long characters) {
        if (characters > MAX_SORTED_CHARACTERS) {
            throw new RefusedPayloadException(
                    "It is too large for how deeply it is nested: sorting the members of its objects"
                            + " copies more than " + MAX_SORTED_CHARACTERS
                            + " characters, so refuse such payloads before");
        }
    }

    /** Returns a generator that refuses too long numbers before it writes them. */
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

            /** Overridden because Jackson's delegate ignores the escapes. */
            @Override
            public JsonGenerator setCharacterEscapes(CharacterEscapes escapes) {
                delegate.setCharacterEscapes(escapes);
                return this;
            }
        };
    }
}
