package io.idempotency.sample;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Makes Idempotency-Key fields of requests, none, one or several: good ones, and whatever clients, proxies and attackers
 * may make of them. The character of each byte is the one of ISO-8859-1.
 */
final class RandomKeyHeaders {

    private static final String BARE = characters('!', '~').replaceAll("[\"\\\\,;]", "");

    private static final String PRINTABLE = characters(' ', '~');

    /** But for the ends of lines, which are a kind of their own. */
    private static final String CONTROLS = (characters('\0', '\u001f') + '\u007f').replaceAll("[\r\n]", "");

    private static final List<String> LINE_ENDS =
            List.of("\r", "\n", "\r\n", "\n\r", "\r\r\n", "\r\n\r\n", "\r\n ", "\n  ");

    private static final List<String> LETTERS =
            List.of("ä", "é", "ÿ", "\u00a0", "€", "ж", "中", "\u2028", "\uff02", "😀");

    private static final List<String> PARAMETERS = List.of(";", ";a", ";a=1", " ;a", "; a=\"b\"", ";q=0.5", ";a;b=?0");

    private static final List<String> OTHER_ITEMS = List.of(
            "\"\"",
            "\" \"",
            "\"",
            "\\",
            "\"\\\"",
            "?1",
            "1.5",
            ":YQ==:",
            "%\"a\"",
            "@1659578233",
            "()",
            "(\"a\")",
            "'a'",
            "*");

    private final Random random;

    private final List<Supplier<List<String>>> kinds;

    RandomKeyHeaders(long seed) {
        random = new Random(seed);
        kinds = kinds();
    }

    private List<Supplier<List<String>>> kinds() {
        return List.of(
                () -> List.of(bare()),
                () -> List.of(quoted()),
                () -> List.of(" \t".repeat(random.nextInt(3)) + good() + "\t ".repeat(random.nextInt(3))),
                () -> List.of(cut(quoted())),
                () -> List.of(with(bare(), oneOf(List.of(" ", "\"", "\\", ",", ";")))),
                () -> List.of(with(quoted(), oneOf(List.of("\"", "\\")))),
                () -> List.of(quoted() + oneOf(PARAMETERS)),
                () -> List.of(good() + oneOf(List.of(",", ", ", " ")) + good()),
                () -> List.of(with(good(), oneOf(CONTROLS))),
                () -> List.of(with(good(), asBytes(oneOf(LETTERS)))),
                () -> List.of(with(good().replace(":", ""), oneOf(LINE_ENDS))),
                () -> List.of(huge()),
                () -> IntStream.range(0, oneOf(List.of(0, 2, 3)))
                        .mapToObj(i -> good())
                        .toList(),
                () -> List.of(" \t".repeat(random.nextInt(4))),
                () -> List.of(oneOf(OTHER_ITEMS)),
                () -> List.of(text(PRINTABLE)));
    }

    /** The fields of the next request. */
    List<String> next() {
        return oneOf(kinds).get();
    }

    boolean nextBoolean() {
        return random.nextBoolean();
    }

    private String good() {
        return random.nextBoolean() ? bare() : quoted();
    }

    private String bare() {
        return text(BARE);
    }

    private String quoted() {
        return KeyHeaderOracle.quoted(text(PRINTABLE));
    }

    /** Mostly as long as keys are; sometimes as short or as long as they may be, and one more. */
    private String text(String alphabet) {
        int length = random.nextInt(10) == 0 ? oneOf(List.of(1, 2, 254, 255, 256)) : random.nextInt(8, 40);
        return text(alphabet, length);
    }

    private String text(String alphabet, int length) {
        return IntStream.range(0, length).mapToObj(i -> oneOf(alphabet)).collect(Collectors.joining());
    }

    /** Up to far more than the server reads of a header. */
    private String huge() {
        String text = text(BARE, random.nextInt(257, 1 << random.nextInt(9, 16)));
        return random.nextBoolean() ? text : KeyHeaderOracle.quoted(text);
    }

    private String cut(String text) {
        return text.substring(0, random.nextInt(text.length()));
    }

    private String with(String text, String inserted) {
        int position = random.nextInt(text.length() + 1);
        return text.substring(0, position) + inserted + text.substring(position);
    }

    private String asBytes(String letter) {
        boolean single =
                random.nextBoolean() && StandardCharsets.ISO_8859_1.newEncoder().canEncode(letter);
        return single ? letter : new String(letter.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private String oneOf(String characters) {
        return String.valueOf(characters.charAt(random.nextInt(characters.length())));
    }

    private <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static String characters(char first, char last) {
        return IntStream.rangeClosed(first, last).mapToObj(Character::toString).collect(Collectors.joining());
    }
}
