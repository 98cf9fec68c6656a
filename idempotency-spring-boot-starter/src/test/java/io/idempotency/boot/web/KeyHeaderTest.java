package io.idempotency.boot.web;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

import io.idempotency.IdempotencyKey;
import io.idempotency.InvalidIdempotencyKeyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The field value as RFC 9651 defines a String, and the bare text that clients send too. */
class KeyHeaderTest {

    private final KeyHeader lenient = new KeyHeader("Idempotency-Key", false);

    private final KeyHeader strict = new KeyHeader("Idempotency-Key", true);

    static Stream<Arguments> strings() {
        return Stream.of(
                arguments("\"8e03978e\"", "8e03978e"),
                arguments("  \"8e03978e\"   ", "8e03978e"),
                arguments("\"two words\"", "two words"),
                arguments("\"a\\\"b\"", "a\"b"),
                arguments("\"a\\\\b\"", "a\\b"),
                arguments("\"a,b;c=d\"", "a,b;c=d"),
                arguments("\"" + "x".repeat(255) + "\"", "x".repeat(255)),
                arguments("\"" + "\\\\".repeat(255) + "\"", "\\".repeat(255)));
    }

    @ParameterizedTest
    @MethodSource("strings")
    void aStringIsReadAsItsText(String field, String key) {
        assertThat(lenient.of(request(field))).isEqualTo(new IdempotencyKey(key));
        assertThat(strict.of(request(field))).isEqualTo(new IdempotencyKey(key));
    }

    @ParameterizedTest
    @ValueSource(strings = {"8e03978e-40d5-43e8-bc93-6894a57f9324", "order:42", "a/b+c==", "~!@#$%^&*()'", "5"})
    void bareTextNamesTheSameKeyAsTheString(String text) {
        assertThat(lenient.of(request(text))).isEqualTo(lenient.of(request('"' + text + '"')));
        assertThatThrownBy(() -> strict.of(request(text)))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContaining("double quotes");
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                arguments("", "is empty"),
                arguments("   ", "is empty"),
                arguments("\"\"", "blank"),
                arguments("\"   \"", "blank"),
                arguments("\"", "no closing"),
                arguments("\"abc", "no closing"),
                arguments("\"abc\\", "backslash"),
                arguments("\"abc\\\"", "no closing"),
                arguments("\"a\\bc\"", "backslash"),
                arguments("\"abc\";a=1", "has parameters"),
                arguments("\"abc\" ;a", "has parameters"),
                arguments("\"abc\", \"def\"", "more than one value"),
                arguments("\"abc\"def", "more than one value"),
                arguments("abc;a=1", "';'"),
                arguments("abc,def", "','"),
                arguments("abc\"def", "'\"'"),
                arguments("abc\\def", "'\\'"),
                arguments("two words", "U+0020"),
                arguments("\ttab", "U+0009"),
                arguments("\"tab\there\"", "U+0009"),
                arguments("\"del\u007f\"", "U+007F"),
                arguments("\"nul\0\"", "U+0000"),
                // The bytes of an e with acute in UTF-8, as servers give them.
                arguments("\"caf\u00c3\u00a9\"", "contains a character that is not visible ASCII (byte 0xC3)"),
                arguments("caf\u00c3\u00a9", "contains a character that is not visible ASCII (byte 0xC3)"),
                arguments("5\u20ac", "contains a character that is not visible ASCII (U+20AC)"),
                arguments("\"" + "x".repeat(256) + "\"", "256 characters"),
                arguments("x".repeat(256), "256 characters"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void anythingElseIsRefusedWithAReason(String field, String reason) {
        assertThatThrownBy(() -> lenient.of(request(field)))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> strict.of(request(field))).isInstanceOf(InvalidIdempotencyKeyException.class);
    }

    @Test
    void aRepeatedHeaderIsRefusedEvenIfItsValuesAreEqual() {
        MockHttpServletRequest request = request("abc");
        request.addHeader("Idempotency-Key", "abc");

        assertThatThrownBy(() -> lenient.of(request))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContaining("2 times");
    }

    @Test
    void noHeaderIsNoKey() {
        assertThat(lenient.of(new MockHttpServletRequest("POST", "/"))).isNull();
    }

    private static MockHttpServletRequest request(String field) {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/");
        request.addHeader("Idempotency-Key", field);
        return request;
    }
}
