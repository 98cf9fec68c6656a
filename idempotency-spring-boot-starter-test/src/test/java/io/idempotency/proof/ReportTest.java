package io.idempotency.proof;

import java.util.Collections;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReportTest {

    @Test
    void aLongValueIsShortened() {
        String value = "'" + "long ".repeat(600_000) + "'";

        assertThat(Report.shortened(Map.of("text", value)))
                .hasSizeLessThan(1_100)
                .startsWith("{text='long long ")
                .contains("(3000002 characters with the hash ")
                .isNotEqualTo(Report.shortened(Map.of("text", value.replace("long '", "lang '"))));
    }

    @Test
    void manyRowsAreShortened() {
        assertThat(Report.shortened(Collections.nCopies(10_000, "row"), ",", row -> row))
                .hasSizeLessThan(500)
                .endsWith("row,row,and 9900 more");
    }
}
