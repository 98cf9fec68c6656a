package io.idempotency.boot.slices;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureJdbc;

import static org.assertj.core.api.Assertions.assertThat;

/** What slices get that cannot be run here: jOOQ needs a newer Java than this library. */
class SliceImportsTest {

    @Test
    void jooqTestsGetWhatOtherSlicesGet() throws Exception {
        List<String> ofJdbc = new ArrayList<>(
                ImportCandidates.load(AutoConfigureJdbc.class, null).getCandidates());
        ofJdbc.removeIf(name -> !name.startsWith("io.idempotency"));

        assertThat(ofJdbc).isNotEmpty();
        assertThat(new String(
                                getClass()
                                        .getResourceAsStream("/META-INF/spring/org.springframework.boot.jooq.test"
                                                + ".autoconfigure.AutoConfigureJooq.imports")
                                        .readAllBytes(),
                                StandardCharsets.UTF_8)
                        .lines())
                .containsExactlyElementsOf(ofJdbc);
    }
}
