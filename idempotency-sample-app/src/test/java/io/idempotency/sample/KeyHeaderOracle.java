package io.idempotency.sample;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which key the Idempotency-Key fields of a request name, if they name one: the rules once more, in other words than the
 * starter's. The character of each byte is the one of ISO-8859-1.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9651#name-strings">RFC 9651, Strings</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9112#name-obsolete-line-folding">RFC 9112, Obsolete Line Folding</a>
 */
final class KeyHeaderOracle {

    private static final Pattern STRING = Pattern.compile("\"((?:[ !#-\\[\\]-~]++|\\\\[\"\\\\])*+)\"");

    private static final Pattern BARE = Pattern.compile("[!-~&&[^\"\\\\,;]]+");

    /** A line that begins with a space continues the one before; servers may refuse it, but the sample's does not. */
    private static final Pattern LINE_FOLD = Pattern.compile("[ \t]*\r?\n [ \t]*");

    private static final int MAX_LENGTH = 255;

    private KeyHeaderOracle() {}

    static Optional<String> keyOf(List<String> fields) {
        if (fields.size() != 1) {
            return Optional.empty();
        }
        String field = LINE_FOLD.matcher(fields.get(0)).replaceAll(" ").replaceAll("^[ \t]+|[ \t]+$", "");
        Matcher string = STRING.matcher(field);
        Optional<String> text = string.matches()
                ? Optional.of(string.group(1).replaceAll("\\\\(.)", "$1"))
                : Optional.of(field).filter(BARE.asMatchPredicate());
        return text.filter(key -> !key.isBlank() && key.length() <= MAX_LENGTH);
    }

    /** The key in the other of its two forms: bare if it was sent in double quotes, where that is possible. */
    static String inOtherForm(String field, String key) {
        boolean wasQuoted = field.contains("\"");
        return wasQuoted && BARE.matcher(key).matches() ? key : quoted(key);
    }

    static String quoted(String text) {
        return '"' + text.replaceAll("[\"\\\\]", "\\\\$0") + '"';
    }
}
