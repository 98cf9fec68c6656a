package io.idempotency.internal.postgres.request;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.namedparam.ParsedSql;
import org.springframework.util.ConcurrentLruCache;

import io.idempotency.internal.claim.KeyedWrite;

/** Statements of an application with named parameters. */
final class NamedStatement {

    private static final Set<String> CHANGES = Set.of("insert", "update", "delete", "merge");

    private static final Set<String> READS = Set.of("with", "select");

    private static final ConcurrentLruCache<String, ParsedSql> PARSED =
            new ConcurrentLruCache<>(256, NamedParameterUtils::parseSqlStatement);

    private NamedStatement() {}

    static KeyedWrite.Statement bind(String sql, Map<String, ? extends @Nullable Object> parameters) {
        String word = sql.strip().split("[^A-Za-z]", 2)[0].toLowerCase(Locale.ROOT);
        requireOneStatement(sql, word);
        ParsedSql parsed = PARSED.get(sql);
        MapSqlParameterSource source = new MapSqlParameterSource(parameters);
        return new KeyedWrite.Statement(
                NamedParameterUtils.substituteNamedParameters(parsed, source),
                valuesOf(sql, parsed, source),
                CHANGES.contains(word),
                null);
    }

    /** A second statement, or one that ends the transaction, would be committed apart from the key. */
    private static void requireOneStatement(String sql, String word) {
        if (sql.indexOf(';') >= 0 || !(CHANGES.contains(word) || READS.contains(word))) {
            throw new IllegalArgumentException("'" + sql
                    + "' cannot be a statement of a write: it has to begin with INSERT, UPDATE, DELETE, MERGE, SELECT or WITH,"
                    + " and must not contain a semicolon. Pass texts as parameters");
        }
        if (sql.replace("??", "").indexOf('?') >= 0) {
            throw new IllegalArgumentException(
                    "'" + sql + "' has a question mark: name its parameters, such as :cents, and"
                            + " write ?? for an operator with a question mark");
        }
    }

    private static List<@Nullable Object> valuesOf(String sql, ParsedSql parsed, MapSqlParameterSource source) {
        try {
            return Arrays.asList(NamedParameterUtils.buildValueArray(parsed, source, null));
        } catch (InvalidDataAccessApiUsageException missing) {
            throw new IllegalArgumentException("A parameter of '" + sql + "' has no value", missing);
        }
    }
}
