package io.idempotency.proof;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A statement, or COMMIT, that a scenario sent.
 *
 * @param number number in its run, from 1
 * @param position number among those of its kind, from 1
 * @param occurrence number among those of its kind with the same summary, from 1
 * @param call number of the call of the scenario in its run, from 1
 * @param sql text
 * @param kind sender
 * @param place line of the application that sent it; {@code null} if none did
 * @param moment moment with regard to an idempotent call and its transaction
 * @param thread thread that sent it
 * @param autoCommit whether it was a transaction of its own
 * @param managed whether its connection belongs to a transaction of Spring
 * @param opener method that opened the transaction of Spring; {@code null} if it is not known
 * @param transaction identifies the transaction
 * @param url URL of the database
 */
record RecordedStatement(
        int number,
        int position,
        int occurrence,
        int call,
        String sql,
        Kind kind,
        @Nullable Place place,
        Moment moment,
        String thread,
        boolean autoCommit,
        boolean managed,
        @Nullable String opener,
        String transaction,
        String url) {

    enum Kind {
        APPLICATION,
        LIBRARY,
        COMMIT
    }

    enum Moment {
        IN_CALL,
        OUT_OF_CALL,
        AFTER_COMMIT,
        AFTER_ROLLBACK,
        LISTENER_AFTER_COMMIT,
        LISTENER_AFTER_ROLLBACK
    }

    private static final Pattern COMMIT = Pattern.compile("(^|;)\\s*commit\\s*;?\\s*$", Pattern.CASE_INSENSITIVE);

    private static final Pattern WRITE = Pattern.compile(
            "\\b(insert\\s+into|update(?:\\s+only)?|delete\\s+from(?:\\s+only)?|merge\\s+into|truncate(?:\\s+table)?|copy)"
                    + "\\s+((?:\"[^\"]+\"|[\\w$]+)(?:\\.(?:\"[^\"]+\"|[\\w$]+))?)",
            Pattern.CASE_INSENSITIVE);

    private static final int SHOWN_CHARACTERS = 60;

    static boolean isCommit(String sql) {
        return COMMIT.matcher(sql).find();
    }

    /** Returns whether it names a table as what it writes. */
    boolean writes(String table) {
        return writes(sql, table);
    }

    static boolean writes(String sql, String table) {
        String name = unqualified(table);
        Matcher write = WRITE.matcher(sql);
        while (write.find()) {
            if (unqualified(write.group(2)).equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** Returns what it has in common with the statements of its transaction that a loop sends. */
    List<Object> loop() {
        return List.of(kind, transaction, String.valueOf(place), summary());
    }

    /** Returns the process id of its backend. */
    int backend() {
        return Integer.parseInt(transaction.substring(0, transaction.indexOf('/')));
    }

    /** Returns a sentence with the method that opened the transaction; empty if none is known. */
    String opening() {
        return opener == null || autoCommit || !managed
                ? ""
                : " " + opener.replaceFirst(".*\\.(?=[^.]+\\.[^.]+$)", "") + " opened that transaction.";
    }

    /** Also in one message with its COMMIT. */
    boolean isLibraryClaim() {
        return kind != Kind.APPLICATION && (writes("idempotency_request") || writes("processed_message"));
    }

    String summary() {
        return summary(sql);
    }

    /** Returns what a statement does, without its values. */
    static String summary(String sql) {
        Matcher write = WRITE.matcher(sql);
        String shown = (write.find() ? write.group() : sql.strip()).replaceAll("\\s+", " ");
        return "`" + (shown.length() > SHOWN_CHARACTERS ? shown.substring(0, SHOWN_CHARACTERS) + "..." : shown) + "`";
    }

    private static String unqualified(String name) {
        return name.substring(name.lastIndexOf('.') + 1).replace("\"", "").toLowerCase(Locale.ROOT);
    }
}
