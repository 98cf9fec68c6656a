package io.idempotency.proof;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A committed change of a row, as {@code test_decoding} prints it.
 *
 * @param transaction id of the server's transaction
 * @param table schema and name
 * @param operation INSERT, UPDATE, DELETE or TRUNCATE
 * @param columns values by column, as texts of SQL; those of the new row, if it has one
 */
record Change(long transaction, String table, String operation, Map<String, String> columns) {

    private static final Pattern LINE =
            Pattern.compile("table (.+?): (INSERT|UPDATE|DELETE|TRUNCATE): (.*)", Pattern.DOTALL);

    /** Possessive, or each character of a long value would take a frame of the stack. */
    private static final Pattern COLUMN =
            Pattern.compile("(\"(?:[^\"]|\"\")+\"|[^\\[\"\\s]+)\\[.*?]:('(?:[^']++|'')*+'|\\S+)\\s?", Pattern.DOTALL);

    static Optional<Change> parse(long transaction, String line) {
        Matcher change = LINE.matcher(line);
        if (!change.matches()) {
            return Optional.empty();
        }
        Map<String, String> columns = new LinkedHashMap<>();
        // A new row comes behind an old key, and overwrites it.
        Matcher column = COLUMN.matcher(change.group(3));
        while (column.find()) {
            columns.put(column.group(1).replace("\"", ""), column.group(2));
        }
        return Optional.of(new Change(transaction, change.group(1).replace("\"", ""), change.group(2), columns));
    }

    Change withTable(String newTable) {
        return new Change(transaction, newTable, operation, columns);
    }

    String tableName() {
        return table.substring(table.lastIndexOf('.') + 1);
    }
}
