package io.idempotency.boot.actuate;

import java.util.List;
import java.util.function.Function;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * A record of the library as the endpoint shows it: with the names of its components, the key of its intent as text, and
 * details that only the endpoint knows.
 */
public record Row(
        @Nullable Key intent,
        @JsonUnwrapped @JsonIgnoreProperties("intent") Object row,
        @JsonUnwrapped @Nullable Object details) {

    /** Returns a row for each record. */
    public static <T> List<Row> of(List<T> records, Function<T, @Nullable Intent> intentOf) {
        return records.stream()
                .map(row -> new Row(Key.of(intentOf.apply(row)), row, null))
                .toList();
    }

    /** An intent whose key is text. */
    record Key(String scope, String caller, String key) {

        static @Nullable Key of(@Nullable Intent intent) {
            return intent == null
                    ? null
                    : new Key(intent.scope(), intent.caller(), intent.key().value());
        }
    }
}
