package io.idempotency.codec;

import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;

import static org.assertj.core.api.Assertions.assertThat;

/** Reading JSON piece by piece gives what a tree of it gives, to the character. A failure names the seed that repeats it. */
class CanonicalJsonEquivalenceTest {

    private static final int TEXTS = 20_000;

    @Test
    void randomTextsAreWrittenOrRefusedAlike() {
        Random seeds = new Random();
        for (int i = 0; i < TEXTS; i++) {
            long seed = seeds.nextLong();
            String json = new RandomText(seed).json();
            assertThat(piecewise(json))
                    .as("new RandomText(%sL): %s", seed, json)
                    .isEqualTo(byTree(json));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "-0",
                "-0.0",
                "-10",
                "-1e1",
                "100",
                "00",
                "-",
                "1.",
                ".1",
                "1e",
                "NaN",
                "tru",
                "nul",
                "[",
                "{",
                "]",
                "}",
                "[}",
                "{\"a\"}",
                "{\"a\":}",
                "{,}",
                "[,]",
                "1,2",
                "[] []",
                "{\"a\":1}}",
                "/* */ 1",
                "'a'",
                "1E99999999999",
                "1E-99999999999",
                "1E2147483647",
                "1E-2147483647",
                "0E99999999999",
                "10.0E2147483647",
                "{\"a\":null,\"a\":1}",
                "{\"a\":1,\"a\":null}",
                "{\"b\":1,\"a\":null,\"c\":2,\"a\":null}",
                "\"\\x\"",
                "\"a"
            })
    void textsAtTheEdgeAreWrittenOrRefusedAlike(String json) {
        assertThat(piecewise(json)).isEqualTo(byTree(json));
    }

    /** {@code null} for what is refused. */
    private static @Nullable String piecewise(String json) {
        try {
            return CanonicalJson.of(json);
        } catch (JacksonException refused) {
            return null;
        }
    }

    private static @Nullable String byTree(String json) {
        try {
            return CanonicalTree.of(json);
        } catch (JacksonException | NumberFormatException refused) {
            return null;
        }
    }

    /** What Jackson could write, some of it with a fault. */
    private static final class RandomText {

        private static final String[] CHARACTERS = {
            "a",
            "b",
            "Z",
            " ",
            "0",
            "\u00e4",
            "\u20ac",
            "\ufb33",
            "\ud83d\ude00",
            "\ud800",
            "\udc00",
            "\\\"",
            "\\\\",
            "\\/",
            "\\n",
            "\\u0000",
            "\\u0041",
            "\\ud83d\\ude00",
            "\\ud800",
            "\\udc00"
        };

        private static final String FAULTS = "{}[]:,\"\\0-e. ";

        private final Random random;

        private boolean hasSets;

        RandomText(long seed) {
            this.random = new Random(seed);
        }

        String json() {
            StringBuilder json = new StringBuilder();
            value(json, 0);
            // An object that is marked as a set has that one member and no other.
            if (!hasSets && random.nextInt(4) == 0) {
                int place = random.nextInt(json.length());
                json.replace(
                        place,
                        place + random.nextInt(2),
                        String.valueOf(FAULTS.charAt(random.nextInt(FAULTS.length()))));
            }
            return json.toString();
        }

        private void value(StringBuilder json, int depth) {
            space(json);
            switch (random.nextInt(depth == 4 ? 7 : 12)) {
                case 0 -> json.append("null");
                case 1 -> json.append(random.nextBoolean());
                case 2 -> json.append(random.nextInt());
                case 3, 4 -> number(json);
                case 5, 6 -> text(json);
                case 7, 8 -> array(json, depth);
                case 9 -> {
                    hasSets = true;
                    json.append("{\"").append(CanonicalWriter.SET).append("\":");
                    if (random.nextInt(4) == 0) {
                        value(json, depth + 1);
                    } else {
                        array(json, depth);
                    }
                    json.append('}');
                }
                default -> object(json, depth);
            }
            space(json);
        }

        private void number(StringBuilder json) {
            json.append(random.nextBoolean() ? "-" : "");
            if (random.nextInt(3) == 0) {
                json.append('0');
            } else {
                json.append(random.nextInt(1, 10));
                digits(json, random.nextInt(25));
            }
            if (random.nextBoolean()) {
                json.append('.');
                digits(json, random.nextInt(1, 25));
            }
            if (random.nextBoolean()) {
                json.append(random.nextBoolean() ? "e" : "E+");
                digits(json, random.nextInt(1, 9));
            } else if (random.nextInt(4) == 0) {
                json.append("E-");
                digits(json, random.nextInt(1, 9));
            }
        }

        private void digits(StringBuilder json, int count) {
            for (int i = 0; i < count; i++) {
                json.append(random.nextBoolean() ? 0 : random.nextInt(10));
            }
        }

        private void text(StringBuilder json) {
            json.append('"');
            for (int i = random.nextInt(5); i > 0; i--) {
                json.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
            }
            json.append('"');
        }

        private void array(StringBuilder json, int depth) {
            json.append('[');
            for (int i = random.nextInt(4); i > 0; i--) {
                value(json, depth + 1);
                json.append(i == 1 ? "" : ",");
            }
            json.append(']');
        }

        /** Some have two members of one name. */
        private void object(StringBuilder json, int depth) {
            json.append('{');
            for (int i = random.nextInt(5); i > 0; i--) {
                text(json);
                space(json);
                json.append(':');
                value(json, depth + 1);
                json.append(i == 1 ? "" : ",");
            }
            json.append('}');
        }

        private void space(StringBuilder json) {
            json.append(random.nextInt(6) == 0 ? " \n" : "");
        }
    }
}
