package io.idempotency.boot;

import java.time.Duration;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.Assert;

/** The checks that several properties records share. */
public final class PropertyChecks {

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private static final Duration LONGEST = Duration.ofDays(365);

    private PropertyChecks() {}

    /**
     * Runs a check, and names the property in the message if it fails.
     *
     * @param name the name of the property
     * @param check throws an IllegalArgumentException if the value is out of range
     */
    public static void requireInRange(String name, Runnable check) {
        try {
            check.run();
        } catch (IllegalArgumentException outOfRange) {
            // Without its cause, which the report of a failed binding would show instead.
            throw new IllegalArgumentException(name + ": " + outOfRange.getMessage());
        }
    }

    /**
     * Refuses a duration that is too short to be a limit.
     *
     * @param name the name of the property
     * @param duration the value of the property
     */
    public static void requirePositive(String name, Duration duration) {
        Assert.isTrue(
                duration.compareTo(SHORTEST) >= 0,
                () -> name + " must be at least one millisecond, not " + text(duration));
    }

    /**
     * Refuses a duration that no scheduler can wait for: the limit of a scheduler is about three hundred years.
     *
     * @param name the name of the property
     * @param duration the value of the property
     */
    public static void requireAtMostAYear(String name, Duration duration) {
        Assert.isTrue(
                duration.compareTo(SHORTEST) >= 0 && duration.compareTo(LONGEST) <= 0,
                () -> name + " must be at least one millisecond and at most 365 days, not " + text(duration));
    }

    /**
     * Returns a duration as one writes it in properties.
     *
     * @param duration the duration
     * @return its text, such as {@code 1d12h}
     */
    public static String text(Duration duration) {
        return DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
    }
}
