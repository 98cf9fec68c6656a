package io.idempotency.boot.client;

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** The header of an answer that says when to repeat the request. */
final class RetryAfterHeader {

    private static final Pattern SECONDS = Pattern.compile("\\d+");

    /** A longer number is no time that anyone waits for, and might be none that a Duration can hold. */
    private static final int MAX_DIGITS = 9;

    private RetryAfterHeader() {}

    /**
     * Finds the pause that an answer asks for. A date counts from the answer's own date, because the clocks of client and
     * server may differ.
     *
     * @return zero for a date in the past; {@code null} if the header is missing or malformed
     */
    static @Nullable Duration find(HttpHeaders answer) {
        String value = answer.getFirst(HttpHeaders.RETRY_AFTER);
        if (value == null) {
            return null;
        }
        if (SECONDS.matcher(value).matches()) {
            return Duration.ofSeconds(value.length() > MAX_DIGITS ? Integer.MAX_VALUE : Long.parseLong(value));
        }
        long date = millisIn(answer, HttpHeaders.RETRY_AFTER);
        if (date < 0) {
            return null;
        }
        long sent = millisIn(answer, HttpHeaders.DATE);
        long now = sent < 0 ? System.currentTimeMillis() : sent;
        return Duration.ofMillis(Math.max(date - now, 0));
    }

    private static long millisIn(HttpHeaders answer, String name) {
        try {
            return answer.getFirstDate(name);
        } catch (IllegalArgumentException malformed) {
            return -1;
        }
    }
}
