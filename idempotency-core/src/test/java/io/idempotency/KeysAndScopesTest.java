package io.idempotency;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What a scope, a caller and a key may consist of; one rule, three lengths. */
class KeysAndScopesTest {

    private static final String EMOJI = "\ud83d\ude00";

    enum Part {
        SCOPE(128, IllegalArgumentException.class) {
            @Override
            void check(String text) {
                new Intent(text, "", new IdempotencyKey("key"));
            }
        },
        CALLER(128, InvalidIdempotencyKeyException.class) {
            @Override
            void check(String text) {
                new Intent("scope", text, new IdempotencyKey("key"));
            }
        },
        KEY(255, InvalidIdempotencyKeyException.class) {
            @Override
            void check(String text) {
                new Intent("scope", "", new IdempotencyKey(text));
            }
        };

        private final int maxLength;
        private final Class<? extends RuntimeException> refusal;

        Part(int maxLength, Class<? extends RuntimeException> refusal) {
            this.maxLength = maxLength;
            this.refusal = refusal;
        }

        abstract void check(String text);

        void assertRefused(String text, String problem) {
            assertThatThrownBy(() -> check(text))
                    .isInstanceOf(refusal)
                    .hasMessageContaining(problem)
                    .satisfies(refused ->
                            assertThat(refused.getMessage()).as("shown in logs").matches("\\p{Print}+"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void lengthsAreCountedInCodePoints(Part part) {
        assertThatCode(() -> part.check("x".repeat(part.maxLength))).doesNotThrowAnyException();
        assertThatCode(() -> part.check(EMOJI.repeat(part.maxLength))).doesNotThrowAnyException();

        int tooMany = part.maxLength + 1;
        part.assertRefused("x".repeat(tooMany), "has " + tooMany + " characters, more than " + part.maxLength);
        part.assertRefused(EMOJI.repeat(tooMany), "has " + tooMany + " characters, more than " + part.maxLength);
    }

    static Stream<Arguments> blankTexts() {
        return Stream.of("", " ", "   ", "\u3000", "\u00a0", "\u2007 \u202f")
                .flatMap(text -> Stream.of(Part.SCOPE, Part.KEY).map(part -> arguments(part, text)));
    }

    @ParameterizedTest
    @MethodSource("blankTexts")
    void aBlankTextNamesNothing(Part part, String text) {
        part.assertRefused(text, "is blank");
    }

    @Test
    void noCallerIsACaller() {
        assertThatCode(() -> Part.CALLER.check("")).doesNotThrowAnyException();
    }

    static Stream<Arguments> unprintableCharacters() {
        return Stream.of(
                        0x00, 0x09, 0x0A, 0x1F, 0x7F, 0x85, 0x9F, // control
                        0xAD, 0x200B, 0x200E, 0x202E, 0x2066, 0xFEFF, 0xE0001, // format
                        0x2028, 0x2029, // line and paragraph separator
                        0xFDD0, 0xFFFE, 0x10FFFF, // noncharacters
                        0xE000, 0xF0000, 0x10FFFD, // private use
                        0xD800, 0xDBFF, 0xDC00, 0xDFFF) // half of a pair
                .flatMap(character -> Stream.of(Part.values()).map(part -> arguments(part, character)));
    }

    @ParameterizedTest
    @MethodSource("unprintableCharacters")
    void anUnprintableCharacterIsNamedByItsNumberAndNotShown(Part part, int character) {
        String unprintable = Character.toString(character);
        String problem = "contains U+%04X, which is not printable".formatted(character);

        part.assertRefused("a" + unprintable, problem);
        part.assertRefused(unprintable + "b", problem);
        part.assertRefused("a" + unprintable + "b", problem);
    }

    /** JVMs know different versions of Unicode, and have to read each other's keys. */
    @ParameterizedTest
    @EnumSource(Part.class)
    void aCharacterThatThisJvmDoesNotKnowIsPrintable(Part part) {
        assertThat(Character.getType(0x0378)).isEqualTo(Character.UNASSIGNED);

        assertThatCode(() -> part.check("a\u0378")).doesNotThrowAnyException();
    }

    @Test
    void halvesInTheWrongOrderAreNoPair() {
        Part.KEY.assertRefused("\ude00\ud83d", "contains U+DE00");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "order-42",
                "8c1ad0f4-7f53-4d4a-9f0b-0c6f6c1f1a55",
                "a b",
                " leading and trailing ",
                "Stra\u00dfe \u20ac 100",
                "\u65e5\u672c\u8a9e",
                "e\u0301",
                "'; drop table payment; --",
                "\\",
                "%s {0} ${x} #{y}",
                "\ud83d\ude00"
            })
    void everythingThatIsPrintableIsAKeyAsItIs(String key) {
        assertThat(new IdempotencyKey(key).value()).isEqualTo(key);
    }

    @ParameterizedTest
    @CsvSource({"key,KEY", "key,'key '", "\u00e9,e\u0301"})
    void keysAreComparedExactly(String one, String other) {
        assertThat(new IdempotencyKey(one)).isNotEqualTo(new IdempotencyKey(other));
    }

    @Test
    void aCallerIsAValueOfItsOwn() {
        IdempotencyKey key = new IdempotencyKey("c");

        assertThat(new Intent("a", "b", key)).isNotEqualTo(new Intent("a", "", new IdempotencyKey("bc")));
        assertThat(new Intent("a", "b", key)).isNotEqualTo(new Intent("ab", "", key));
    }

    @Test
    void anIntentShowsItselfForReports() {
        IdempotencyKey key = new IdempotencyKey("order-42");

        assertThat(new Intent("payments", "", key)).hasToString("key 'order-42' in scope 'payments'");
        assertThat(new Intent("payments", "acme", key))
                .hasToString("key 'order-42' in scope 'payments' of caller 'acme'");
    }
}
