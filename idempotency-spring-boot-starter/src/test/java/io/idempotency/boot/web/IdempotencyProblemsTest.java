package io.idempotency.boot.web;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletRequest;

import io.idempotency.ClaimAbandonedException;
import io.idempotency.ExpressionFailedException;
import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.LeaseLostException;
import io.idempotency.LockNotAcquiredException;
import io.idempotency.MissingCallerException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RecordedFailureException;
import io.idempotency.ReentrantCallException;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.TransactionFailedException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.boot.testing.LogLines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What a client is told of each refusal. */
class IdempotencyProblemsTest {

    private static final Intent INTENT = new Intent("the-scope", "", new IdempotencyKey("the-key"));

    private static final Duration WAIT = Duration.ofSeconds(2);

    private final IdempotencyProblems problems = new IdempotencyProblems(
            new IdempotencyHttpProperties(
                    "Idempotency-Key",
                    false,
                    "Idempotent-Replayed",
                    List.of(),
                    Set.of(),
                    IdempotencyHttpProperties.Caller.NONE,
                    false,
                    true,
                    "urn:",
                    null,
                    Map.of()),
            new StaticMessageSource(),
            Stream.of());

    static Stream<Arguments> refusals() {
        Throwable cause = new SQLException("internals");
        return Stream.of(
                arguments(new MissingIdempotencyKeyException("internals"), 400, "missing-key"),
                arguments(new InvalidIdempotencyKeyException("internals"), 400, "invalid-key"),
                arguments(new MissingCallerException("internals"), 403, "missing-caller"),
                arguments(new RequestInProgressException(INTENT, WAIT, "internals", cause), 409, "in-progress"),
                arguments(new LeaseLostException(INTENT, 1), 409, "lease-lost"),
                arguments(new ClaimAbandonedException(INTENT), 409, "abandoned"),
                arguments(new LockNotAcquiredException("internals", "a", WAIT, cause), 409, "lock-not-acquired"),
                arguments(new ResponseExpiredException(INTENT), 410, "response-expired"),
                arguments(new KeyReusedException(INTENT), 422, "key-reused"),
                arguments(new RecordedFailureException(INTENT, "internals", "internals"), 422, "recorded-failure"),
                arguments(new UnreadableResponseException(INTENT, "internals", cause), 500, "unreadable-response"),
                arguments(new ResponseNotStorableException(INTENT, "internals", cause), 500, "response-not-storable"),
                arguments(new TransactionFailedException("internals"), 500, "internal-error"),
                arguments(new ReentrantCallException(INTENT, "internals"), 500, "internal-error"),
                arguments(new OutcomeUnknownException(INTENT, WAIT, "internals", cause), 503, "outcome-unknown"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void aRefusalHasItsStatusAndTellsNothingOfTheApplication(IdempotencyException refusal, int status, String problem) {
        ResponseEntity<ProblemDetail> answer = problems.answer(refusal, new MockHttpServletRequest());

        assertThat(answer.getStatusCode().value()).isEqualTo(status);
        assertThat(answer.getBody().getType()).hasToString("urn:" + problem);
        assertThat(answer.getBody().toString()).doesNotContain("internals", "the-scope", "the-key");
        assertThat(answer.getHeaders().getFirst("Retry-After"))
                .isEqualTo(List.of("in-progress", "outcome-unknown").contains(problem) ? "2" : null);
    }

    @ParameterizedTest
    @CsvSource({"PT1S,1", "PT1.001S,2", "PT1.000000001S,2", "PT89.5S,90", "PT5M,300"})
    void nobodyIsToldToComeBackTooEarly(Duration retryAfter, String seconds) {
        ResponseEntity<ProblemDetail> answer = problems.answer(
                new RequestInProgressException(INTENT, retryAfter, "in progress", null), new MockHttpServletRequest());

        assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo(seconds);
    }

    static Stream<IdempotencyException> notKnownYet() {
        Throwable cause = new SQLException("internals");
        return Stream.of(
                new OutcomeUnknownException(INTENT, WAIT, "internals", cause),
                new RequestInProgressException(INTENT, WAIT, "internals", cause));
    }

    @ParameterizedTest
    @MethodSource("notKnownYet")
    void anOutcomeThatIsNotKnownIsToBeAskedForWithTheSameKey(IdempotencyException refusal) {
        assertThat(problems.answer(refusal, new MockHttpServletRequest())
                        .getBody()
                        .getDetail())
                .contains("with the same Idempotency-Key");
    }

    @Test
    void aRefusalThatTheHeaderOfAnotherRequestCausedTellsNothing() {
        ResponseEntity<ProblemDetail> answer =
                problems.answer(new InvalidIdempotencyKeyException("internals"), new MockHttpServletRequest());

        assertThat(answer.getBody().getDetail()).isEqualTo("The Idempotency-Key is malformed.");
    }

    @Test
    void aCallerThatIsTooLongIsNoMalformedKey() {
        InvalidIdempotencyKeyException refusal = assertThrows(
                InvalidIdempotencyKeyException.class,
                () -> new Intent("payments", "c".repeat(129), new IdempotencyKey("key-1")));

        assertThat(problems.answer(refusal, new MockHttpServletRequest())
                        .getBody()
                        .getDetail())
                .isEqualTo("The caller of this request is blank or malformed.");
    }

    @Test
    void aHeaderThatDoesNotReachTheCallIsTheFaultOfTheApplication() {
        try (LogLines log = LogLines.of(IdempotencyProblems.class.getName())) {
            MockHttpServletRequest request = new MockHttpServletRequest("GET", "/transfers");
            problems.answer(new MissingIdempotencyKeyException("no key"), request);
            request.addHeader("Idempotency-Key", "k-1");
            problems.answer(new MissingIdempotencyKeyException("no key"), request);

            assertThat(log.all()).extracting(ILoggingEvent::getLevel).containsExactly(Level.DEBUG, Level.WARN);
            assertThat(log.all().get(1).getFormattedMessage())
                    .startsWith(
                            "The call of a GET request got no key, although the request has the header Idempotency-Key")
                    .contains("@IdempotencyKeyHeader")
                    .endsWith("no key.")
                    .doesNotContain("k-1");
        }
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
