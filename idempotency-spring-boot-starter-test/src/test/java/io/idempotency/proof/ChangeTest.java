package io.idempotency.proof;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChangeTest {

    /** As that of a document, or of a request that was kept byte for byte. */
    @Test
    void aLongValueIsRead() {
        String value = "'" + "it''s long ".repeat(100_000) + "'";

        assertThat(Change.parse(
                        1, "table public.document: INSERT: id[bigint]:7 text[text]:" + value + " pages[integer]:2"))
                .hasValueSatisfying(change ->
                        assertThat(change.columns()).isEqualTo(Map.of("id", "7", "text", value, "pages", "2")));
    }

    /** Such as test_decoding prints it if the key itself has changed. */
    @Test
    void aRowWhoseKeyChangedIsTheNewOne() {
        assertThat(Change.parse(
                        1,
                        "table public.t: UPDATE: old-key: id[integer]:1 new-tuple: id[integer]:2 name[text]:'it''s'"))
                .map(Change::columns)
                .hasValue(Map.of("id", "2", "name", "'it''s'"));
    }
}
