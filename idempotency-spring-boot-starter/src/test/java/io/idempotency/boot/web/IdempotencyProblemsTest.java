package io.idempotency.boot.web;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletRequest;

import io.idempotency.ExpressionFailedException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestInProgressException;
import io.idempotency.boot.testing.LogLines;

import static org.assertj.core.api.Assertions.assertThat;

/** What is hard to arrange over HTTP. */
class IdempotencyProblemsTest {

    private static final Intent INTENT = new Intent("scope", "", new IdempotencyKey("key"));

    private final IdempotencyProblems problems = new IdempotencyProblems(
            new IdempotencyHttpProperties(
                    "Idempotency-Key",
                    false,
                    "Idempotent-Replayed",
                    List.of(),
                    IdempotencyHttpProperties.Caller.NONE,
                    false,
                    true,
                    "urn:",
                    null,
                    Map.of()),
            new StaticMessageSource());

    @ParameterizedTest
    @CsvSource({"PT1S,1", "PT1.001S,2", "PT1.000000001S,2", "PT89.5S,90", "PT5M,300"})
    void nobodyIsToldToComeBackTooEarly(Duration retryAfter, String seconds) {
        ResponseEntity<ProblemDetail> answer = problems.answer(
                new RequestInProgressException(INTENT, retryAfter, "in progress", null), new MockHttpServletRequest());

        assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo(seconds);
    }

    @Test
    void anOutcomeThatIsNotKnownIs503AndToBeRepeatedWithTheSameKey() {
        ResponseEntity<ProblemDetail> answer = problems.answer(
                new OutcomeUnknownException(INTENT, Duration.ofSeconds(5), "internals", new SQLException("internals")),
                new MockHttpServletRequest());

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo("5");
        assertThat(answer.getBody().getType()).hasToString("urn:outcome-unknown");
        assertThat(answer.getBody().getDetail())
                .contains("with the same Idempotency-Key")
                .doesNotContain("internals");
    }

    @Test
    void aRefusalThatTheHeaderOfAnotherRequestCausedTellsNothing() {
        ResponseEntity<ProblemDetail> answer =
                problems.answer(new InvalidIdempotencyKeyException("internals"), new MockHttpServletRequest());

        assertThat(answer.getBody().getDetail()).isEqualTo("The Idempotency-Key is malformed.");
    }

    @Test
    void anExpressionThatFailsIsTheFaultOfTheApplication() {
        try (LogLines log = LogLines.of(IdempotencyProblems.class.getName())) {
            ResponseEntity<ProblemDetail> answer = problems.answer(
                    new ExpressionFailedException("The key '#c.idd' failed", new IllegalStateException()),
                    new MockHttpServletRequest());

            assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
            assertThat(answer.getBody().getDetail()).isEqualTo("The request failed unexpectedly.");
            ILoggingEvent line = log.all().get(0);
            assertThat(line.getLevel()).isEqualTo(Level.ERROR);
            assertThat(line.getThrowableProxy().getMessage()).isEqualTo("The key '#c.idd' failed");
        }
    }
}
