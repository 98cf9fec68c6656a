package io.idempotency.boot.web;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpEntity;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyStartupException;
import io.idempotency.Intent;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.response.ResponseMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** An answer is as storable and as faithful as its body; headers that belong to one connection are no part of it. */
class ResponseEntityCodecTest {

    private static final Intent INTENT = new Intent("orders", "", new IdempotencyKey("key"));

    private final ResponseCodec ofBodies = new JacksonResponseCodec(new JsonMapper());

    private final ResponseMapper responses = new ResponseMapper(
            List.of(new ResponseEntityCodec(List.of("Location"), Set.of(), type -> ofBodies), ofBodies), 10_000, true);

    @Test
    void aBodyThatCannotBeReadIsRefusedAtStartUp() {
        Type type = new ParameterizedTypeReference<ResponseEntity<List<Shape>>>() {}.getType();

        assertThatThrownBy(() -> responses.requireStorable(type))
                .isInstanceOf(IdempotencyStartupException.class)
                .hasMessageContainingAll(
                        "a body of type java.util.List, whose $[*] is " + Shape.class.getTypeName(),
                        "which is abstract",
                        "@JsonTypeInfo");
    }

    @Test
    void aBodyThatLosesSomethingFailsTheFirstCall() {
        Type type = new ParameterizedTypeReference<ResponseEntity<Base>>() {}.getType();

        assertThatThrownBy(() -> responses.write(INTENT, ResponseEntity.ok(new More()), type, false))
                .isInstanceOf(ResponseNotStorableException.class)
                .hasMessageContaining("at $.body,");
    }

    @Test
    void theStatusesThatAskForARepeatAreConfigured() {
        Type type = new ParameterizedTypeReference<ResponseEntity<Base>>() {}.getType();
        ResponseMapper asking = new ResponseMapper(
                List.of(new ResponseEntityCodec(List.of(), Set.of(503), body -> ofBodies), ofBodies), 10_000, true);

        assertThat(asking.asksForRepeat(ResponseEntity.status(503).build(), type))
                .isTrue();
        assertThat(asking.asksForRepeat(ResponseEntity.status(429).build(), type))
                .isFalse();
        assertThat(asking.asksForRepeat(null, type)).isFalse();
        assertThat(asking.asksForRepeat(new HttpEntity<>("503"), HttpEntity.class))
                .isFalse();
        assertThat(responses.asksForRepeat(ResponseEntity.status(503).build(), type))
                .as("nothing is configured")
                .isFalse();
    }

    @Test
    void aMemberOfABodyThatLooksRenamedIsNotRead() {
        String stored = responses.write(
                INTENT,
                ResponseEntity.ok(new Base()),
                new ParameterizedTypeReference<ResponseEntity<Base>>() {}.getType(),
                false);

        assertThatThrownBy(() -> responses.read(
                        INTENT, stored, new ParameterizedTypeReference<ResponseEntity<Renamed>>() {}.getType()))
                .isInstanceOf(UnreadableResponseException.class)
                .hasStackTraceContaining("$.id, which the type does not know, while $.number is not stored");
    }

    /** A client may see less than before, a method that goes on may not. */
    @Test
    void aBodyIsReadAsStrictlyAsAResultWithoutStatusAndHeaders() {
        String stored = responses.write(
                INTENT,
                ResponseEntity.ok(new Price(new BigDecimal("100.50"), "EUR")),
                new ParameterizedTypeReference<ResponseEntity<Price>>() {}.getType(),
                false);
        Type narrowed = new ParameterizedTypeReference<ResponseEntity<Cents>>() {}.getType();
        Type removed = new ParameterizedTypeReference<ResponseEntity<Amount>>() {}.getType();

        assertThatThrownBy(() -> responses.read(INTENT, stored, narrowed))
                .isInstanceOf(UnreadableResponseException.class)
                .hasStackTraceContaining("The stored JSON has $.amount, which is another value");
        assertThat(responses.read(INTENT, stored, removed))
                .isEqualTo(ResponseEntity.ok(new Amount(new BigDecimal("100.50"))));
        assertThatThrownBy(() -> responses.readUnchanged(INTENT, stored, removed))
                .isInstanceOf(UnreadableResponseException.class)
                .hasStackTraceContaining("The stored JSON has $.currency, which the type does not know");
    }

    static Stream<Arguments> answers() {
        ParameterizedTypeReference<ResponseEntity<Optional<Amount>>> optional = new ParameterizedTypeReference<>() {};
        return Stream.of(
                arguments(
                        ResponseEntity.of(ProblemDetail.forStatus(422)).build(),
                        new ParameterizedTypeReference<ResponseEntity<ProblemDetail>>() {}),
                arguments(
                        ResponseEntity.badRequest().body(ProblemDetail.forStatus(400)),
                        new ParameterizedTypeReference<ResponseEntity<ProblemDetail>>() {}),
                arguments(ResponseEntity.ok(Optional.empty()), optional),
                arguments(ResponseEntity.ok(Optional.of(new Amount(BigDecimal.ONE))), optional),
                arguments(ResponseEntity.notFound().build(), optional),
                arguments(
                        ResponseEntity.noContent().header("Location", "/a\tb").build(),
                        new ParameterizedTypeReference<ResponseEntity<Void>>() {}),
                arguments(
                        new HttpEntity<>(new Amount(BigDecimal.ONE)),
                        new ParameterizedTypeReference<HttpEntity<Amount>>() {}));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void anAnswerIsReplayedAsItWas(HttpEntity<?> answer, ParameterizedTypeReference<?> type) {
        String stored = responses.write(INTENT, answer, type.getType(), false);

        HttpEntity<?> replayed = (HttpEntity<?>) responses.read(INTENT, stored, type.getType());
        assertThat(replayed).hasSameClassAs(answer);
        assertThat(replayed.getHeaders()).isEqualTo(answer.getHeaders());
        if (answer.getBody() instanceof ProblemDetail problem) {
            assertThat((ProblemDetail) replayed.getBody())
                    .extracting(ProblemDetail::getTitle, ProblemDetail::getStatus)
                    .containsExactly(problem.getTitle(), problem.getStatus());
        } else {
            assertThat(replayed).isEqualTo(answer);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a\r\nSet-Cookie: b=c", "/a\n", "\r", "a\0b", "a\u007f", "a\u0085"})
    void aHeaderThatNoServerSendsFailsTheFirstCall(String value) {
        ResponseEntity<Amount> answer =
                ResponseEntity.ok().header("Location", value).body(new Amount(BigDecimal.ONE));
        Type type = new ParameterizedTypeReference<ResponseEntity<Amount>>() {}.getType();

        for (boolean lossy : List.of(false, true)) {
            assertThatThrownBy(() -> responses.write(INTENT, answer, type, lossy))
                    .isInstanceOf(ResponseNotStorableException.class)
                    .hasMessage("The response to the " + INTENT + " cannot be stored: the value of its header Location"
                            + " has a control character, such as a line break, which no server sends: encode it");
        }
    }

    record Price(BigDecimal amount, String currency) {}

    record Cents(long amount, String currency) {}

    record Amount(BigDecimal amount) {}

    record Renamed(@Nullable Integer number) {}

    interface Shape {}

    static class Base {

        public int id = 7;
    }

    static final class More extends Base {

        public int more = 8;
    }
}
