package io.idempotency.proof;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The way in which a scenario is not idempotent.
 *
 * @param cause what findings of the same cause have in common
 * @param sentence what happened when, why and where
 * @param detail rows or answers
 * @param place line of the application; {@code null} if none is known
 */
record Finding(
        String cause,
        String sentence,
        String detail,
        @Nullable Place place) {

    String text() {
        return detail.isEmpty() ? sentence : sentence + "\n" + detail;
    }

    /** Returns the failure, whose innermost frame is the line of the application. */
    AssertionError failure(String message) {
        AssertionError failure = new AssertionError(message);
        if (place != null) {
            failure.setStackTrace(Stream.concat(Stream.of(place.frame()), Stream.of(failure.getStackTrace()))
                    .toArray(StackTraceElement[]::new));
        }
        return failure;
    }
}
