package io.idempotency.internal.fingerprint;

import java.math.BigInteger;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CanonicalJsonTest {

    @Test
    void membersAreSortedAndWhiteSpaceIsGone() {
        assertThat(CanonicalJson.of("""
                { "b" : 1, "a" : { "d" : [ 3, 2 ], "c" : "x y" } }""")).isEqualTo("{\"a\":{\"c\":\"x y\",\"d\":[3,2]},\"b\":1}");
    }

    /** The example of RFC 8785, section 3.2.3: by code units the emoji comes before U+FB33, by code points behind. */
    @Test
    void membersAreSortedByUtf16CodeUnits() {
        String canonical = CanonicalJson.of("""
                {
                  "\\u20ac": "Euro Sign",
                  "\\r": "Carriage Return",
                  "\\ufb33": "Hebrew Letter Dalet With Dagesh",
                  "1": "One",
                  "\\ud83d\\ude00": "Emoji: Grinning Face",
                  "\\u0080": "Control",
                  "\\u00f6": "Latin Small Letter O With Diaeresis"
                }""");

        assertThat(canonical)
                .isEqualTo("{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
                        + "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
                        + "\"\ud83d\ude00\":\"Emoji: Grinning Face\","
                        + "\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
    }

    /** RFC 8785, section 3.2.2.2. */
    @Test
    void stringsAreEscapedAsLittleAsPossible() {
        assertThat(CanonicalJson.of("\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\""))
                .isEqualTo("\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"");
        assertThat(CanonicalJson.of("\"\\u0000\\u001f\\u007f\\b\\t\\f\\r\""))
                .isEqualTo("\"\\u0000\\u001f\u007f\\b\\t\\f\\r\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":null}                    | {}",
                "{\"a\":null,\"b\":1,\"c\":null,\"d\":2} | {\"b\":1,\"d\":2}",
                "{\"a\":{\"b\":null,\"c\":1}}    | {\"a\":{\"c\":1}}",
                "{\"a\":{\"b\":null}}            | {\"a\":{}}",
                "[{\"a\":null},1]                | [{},1]",
            })
    void membersThatAreNullAreLeftOut(String json, String canonical) {
        assertThat(CanonicalJson.of(json)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"null", "[null]", "[null,null]", "[1,null]", "{\"a\":[null,1]}", "{}", "[]", "true", "false"})
    void everythingElseIsKept(String json) {
        assertThat(CanonicalJson.of(json)).isEqualTo(json);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1.0",
        "1, 1.00",
        "1, 1E+0",
        "100, 1E+2",
        "100, 1.0e2",
        "0, 0.0",
        "0, -0.0",
        "0, -0",
        "0, 0E+10",
        "0.1, 1E-1",
        "-12.5, -1.250e1",
        "18446744073709551617, 18446744073709551617.000",
    })
    void numbersOfOneValueAreEqual(String one, String other) {
        assertThat(CanonicalJson.of(one)).isEqualTo(CanonicalJson.of(other));
    }

    @ParameterizedTest
    @CsvSource({
        "9007199254740993, 9007199254740992",
        "9007199254740993.0, 9007199254740992.0",
        "18446744073709551617, 18446744073709551616",
        "0.1, 0.10000000000000001",
        "1E+400, 1E+401",
        "1E-400, 0",
        "1, -1",
    })
    void numbersThatADoubleCannotTellApartDiffer(String one, String other) {
        assertThat(CanonicalJson.of(one)).isNotEqualTo(CanonicalJson.of(other));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "-0.0, 0", "7, 7", "-120, -12E1", "12.50, 125E-1", "0.001, 1E-3", "1E+2, 1E2"})
    void numbersAreWrittenAsDigitsAndExponent(String number, String canonical) {
        assertThat(CanonicalJson.of(number)).isEqualTo(canonical);
    }

    @Test
    void anExponentOfABillionCostsNoMemory() {
        assertThat(CanonicalJson.of("[1E+1000000000, 10e999999999, 1E-1000000000]"))
                .isEqualTo("[1E1000000000,1E1000000000,1E-1000000000]");
    }

    @ParameterizedTest
    @Timeout(10)
    @ValueSource(strings = {"1", "7", "0.0"})
    void aNumberOfTooManyDigitsIsRefusedAtOnce(String begin) {
        assertThatThrownBy(() -> CanonicalJson.of(begin + "7".repeat(1_000_000)))
                .isInstanceOf(RefusedPayloadException.class)
                .hasMessageContaining("A number has more than 10000 digits");
        assertThatThrownBy(() -> CanonicalJson.of(begin + "7" + "0".repeat(1_000_000)))
                .isInstanceOf(RefusedPayloadException.class);
    }

    @Test
    void tenThousandDigitsAreNotTooMany() {
        String digits = "-" + "9".repeat(10_000);

        assertThat(CanonicalJson.of(digits)).isEqualTo(digits);
        assertThat(CanonicalJson.of(digits + "E7")).isEqualTo(digits + "E7");
        assertThatThrownBy(() -> CanonicalJson.of("1" + "0".repeat(10_000)))
                .isInstanceOf(RefusedPayloadException.class);
    }

    @Test
    void numbersOfThousandsOfDigitsAreExact() {
        BigInteger large = BigInteger.TEN.pow(5_000).add(BigInteger.ONE);

        assertThat(CanonicalJson.of(large.toString())).isEqualTo(large.toString());
        assertThat(CanonicalJson.of(large.toString()))
                .isNotEqualTo(CanonicalJson.of(large.add(BigInteger.ONE).toString()));
    }

    @Test
    void loneSurrogatesAreEscapedAndSoStayDistinct() {
        assertThat(CanonicalJson.of("\"\\ud800\"")).isEqualTo("\"\\ud800\"");
        assertThat(CanonicalJson.of("\"\\udc00x\"")).isEqualTo("\"\\udc00x\"");
        assertThat(CanonicalJson.of("\"\\ud800\\ud83d\\ude00\\ude00\"")).isEqualTo("\"\\ud800\ud83d\ude00\\ude00\"");
    }

    @Test
    void aLoneSurrogateIsNotTheTextOfItsEscape() {
        assertThat(CanonicalJson.of("\"\\ud800\"")).isNotEqualTo(CanonicalJson.of("\"\\\\ud800\""));
    }

    @ParameterizedTest
    @ValueSource(ints = {600, 1_000})
    void deepNestingIsRead(int levels) throws Exception {
        assertThat(onThreeQuartersOfAStack(nestedObjects(levels))).isEqualTo(nestedObjects(levels));
        assertThat(onThreeQuartersOfAStack(nestedArrays(levels))).isEqualTo(nestedArrays(levels));
    }

    @Test
    void nestingThatWouldEndTheStackIsRefused() {
        assertThatThrownBy(() -> CanonicalJson.of(nestedObjects(100_000))).isInstanceOf(JacksonException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1,\"a\":2}",
                "{\"a\":null,\"a\":1}",
                "{\"x\":[{\"a\":1,\"b\":2,\"a\":1}]}",
                "{\"a\":1",
                "{\"a\"}",
                "{\"a\":1}}",
                "1 2",
                "[] []",
                "{a:1}",
                "[1,]",
                "00",
                "NaN",
                "1E99999999999"
            })
    void whatIsNotOneValueIsRefused(String json) {
        assertThatThrownBy(() -> CanonicalJson.of(json)).isInstanceOf(JacksonException.class);
    }

    private static String nestedObjects(int levels) {
        return "{\"a\":".repeat(levels) + "1" + "}".repeat(levels);
    }

    private static String nestedArrays(int levels) {
        return "[".repeat(levels) + "]".repeat(levels);
    }

    /** Linux gives a thread 1 MiB, of which a request has used a part; the main thread may have far more. */
    private static String onThreeQuartersOfAStack(String json) throws Exception {
        FutureTask<String> canonical = new FutureTask<>(() -> CanonicalJson.of(json));
        new Thread(null, canonical, "request", 768 * 1_024).start();
        return canonical.get();
    }
}
