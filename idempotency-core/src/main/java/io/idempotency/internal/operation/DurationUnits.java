package io.idempotency.internal.operation;

import java.util.regex.Pattern;

/** The rule that a duration names its unit: a number alone would be milliseconds, and 7 may mean days. */
public final class DurationUnits {

    private static final Pattern NUMBER = Pattern.compile("\\s*[+-]?0*[1-9][0-9]*\\s*");

    private DurationUnits() {}

    /** Returns whether a duration is a number without a unit. Zero needs none. */
    public static boolean isMissing(String text) {
        return NUMBER.matcher(text).matches();
    }

    /** Returns what to write instead, for error messages. */
    public static String action(String text) {
        return "Write %1$sd for days, %1$sh for hours, %1$sm for minutes, %1$ss for seconds or %1$sms for milliseconds."
                .formatted(text.strip());
    }
}
