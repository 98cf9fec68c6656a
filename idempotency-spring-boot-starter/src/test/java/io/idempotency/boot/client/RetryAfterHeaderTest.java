package io.idempotency.boot.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/** When an answer says to repeat the request. */
class RetryAfterHeaderTest {

    private static final String SENT = "Wed, 25 Nov 2015 12:00:00 GMT";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0",
                "7 | 7",
                "007 | 7",
                "123456789 | 123456789",
                "99999999999999999999 | 2147483647",
                "Wed, 25 Nov 2015 12:00:09 GMT | 9",
                "Wednesday, 25-Nov-15 12:00:09 GMT | 9",
                "Wed Nov 25 12:00:09 2015 | 9",
                "Wed, 25 Nov 2015 11:59:00 GMT | 0",
                "-1 | ",
                "1.5 | ",
                "soon | ",
                "'' | ",
                " | "
            })
    void isSecondsOrADate(@Nullable String value, @Nullable Long seconds) {
        HttpHeaders answer = new HttpHeaders();
        answer.set(HttpHeaders.DATE, SENT);
        answer.set(HttpHeaders.RETRY_AFTER, value);

        assertThat(RetryAfterHeader.find(answer)).isEqualTo(seconds == null ? null : Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @CsvSource({"false,", "true,yesterday"})
    void countsFromNowIfTheAnswerHasNoDate(boolean hasDate, @Nullable String sent) {
        HttpHeaders answer = new HttpHeaders();
        if (hasDate) {
            answer.set(HttpHeaders.DATE, sent);
        }
        answer.set(HttpHeaders.RETRY_AFTER, "Wed, 25 Nov 2015 12:00:00 GMT");
        assertThat(RetryAfterHeader.find(answer)).isZero();

        answer.set(HttpHeaders.RETRY_AFTER, "Mon, 25 Nov 2115 12:00:00 GMT");
        assertThat(RetryAfterHeader.find(answer)).isGreaterThan(Duration.ofDays(1));
    }

    @Test
    void isNotNeeded() {
        assertThat(RetryAfterHeader.find(new HttpHeaders())).isNull();
    }
}
