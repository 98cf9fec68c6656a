package io.idempotency.internal.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.PrintableText;

/** Scope, caller and key: three columns beside each other. */
final class IntentColumns {

    private static final String REPLACEMENT_CHARACTER = "\uFFFD";

    private IntentColumns() {}

    /**
     * Reads the intent of a request. Characters that no new name may have are replaced, because one row that somebody wrote by
     * hand must not hide all others.
     */
    static Intent readAny(ResultSet row, int first) throws SQLException {
        Intent intent = read(row, first);
        return intent != null
                ? intent
                : new Intent(
                        readable(row.getString(first), 1),
                        readable(row.getString(first + 1), 0),
                        new IdempotencyKey(readable(row.getString(first + 2), 1)));
    }

    private static String readable(String name, int minLength) {
        StringBuilder readable = new StringBuilder();
        name.codePoints()
                .mapToObj(Character::toString)
                .map(character ->
                        PrintableText.findProblem(character, 0, 1).isEmpty() ? character : REPLACEMENT_CHARACTER)
                .forEach(readable::append);
        return PrintableText.findProblem(readable.toString(), minLength, name.length())
                        .isEmpty()
                ? readable.toString()
                : REPLACEMENT_CHARACTER;
    }

    /** Returns null if it is malformed: what somebody wrote by hand must not hold messages up. */
    static @Nullable Intent read(ResultSet row, int first) throws SQLException {
        String scope = row.getString(first);
        if (scope == null) {
            return null;
        }
        try {
            return new Intent(scope, row.getString(first + 1), new IdempotencyKey(row.getString(first + 2)));
        } catch (IllegalArgumentException | IdempotencyException malformed) {
            return null;
        }
    }
}
