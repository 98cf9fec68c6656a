package io.idempotency.internal.postgres.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.PrintableText;

/** The reader of intents from the columns {@code idempotency_scope}, {@code caller} and {@code idempotency_key}. */
public final class IntentColumns {

    private static final String SCOPE = "idempotency_scope";

    private static final String CALLER = "caller";

    private static final String KEY = "idempotency_key";

    private static final String REPLACEMENT_CHARACTER = "\uFFFD";

    private IntentColumns() {}

    /**
     * Reads the intent of a request. Characters that are not allowed are replaced, because one row that was written by hand
     * must not hide all others.
     */
    public static Intent readAny(ResultSet row) throws SQLException {
        Intent intent = read(row);
        return intent != null
                ? intent
                : new Intent(
                        readable(row.getString(SCOPE), 1),
                        readable(row.getString(CALLER), 0),
                        new IdempotencyKey(readable(row.getString(KEY), 1)));
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

    /**
     * Reads the intent of a message. A malformed intent is ignored, because a row that was written by hand must not block other
     * messages.
     *
     * @return the intent; {@code null} if there is none or it is malformed
     */
    public static @Nullable Intent read(ResultSet row) throws SQLException {
        String scope = row.getString(SCOPE);
        if (scope == null) {
            return null;
        }
        try {
            return new Intent(scope, row.getString(CALLER), new IdempotencyKey(row.getString(KEY)));
        } catch (IllegalArgumentException | IdempotencyException malformed) {
            return null;
        }
    }
}
