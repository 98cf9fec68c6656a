package io.idempotency;

import java.util.Optional;

/**
 * A well-formed idempotency key: 1 to 255 printable characters, not blank. Characters are Unicode code points, as
 * PostgreSQL counts them; keys are compared exactly, without trimming, case folding or normalization.
 *
 * @param value the key as the caller sent it
 */
public record IdempotencyKey(String value) {

    /** The longest key, in characters. */
    public static final int MAX_LENGTH = 255;

    /**
     * Checks the key.
     *
     * @throws InvalidIdempotencyKeyException if the value is blank, too long or not printable
     */
    public IdempotencyKey {
        findProblem(value).ifPresent(problem -> {
            throw new InvalidIdempotencyKeyException("The idempotency key " + problem);
        });
    }

    /**
     * Finds the reason why a text is not a valid key, message id or stream name. The same rule applies to all of them.
     *
     * @param value the text
     * @return for example {@code is blank}; empty if it is well-formed
     */
    public static Optional<String> findProblem(String value) {
        return PrintableText.findProblem(value, 1, MAX_LENGTH);
    }

    @Override
    public String toString() {
        return value;
    }
}
