package io.idempotency.proof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/** The tables that hold no effects of the application are those that the migrations create. */
class LibraryTablesTest {

    private static final Pattern TABLE = Pattern.compile("CREATE TABLE \"\\$\\{schema}\"\\.(\\w+)");

    @Test
    void theTablesOfTheLibraryAreKnown() throws IOException {
        Set<String> created = new TreeSet<>();
        for (Resource migration : new PathMatchingResourcePatternResolver()
                .getResources("classpath*:io/idempotency/internal/postgres/migration/**/*.sql")) {
            TABLE.matcher(migration.getContentAsString(StandardCharsets.UTF_8))
                    .results()
                    .map((MatchResult table) -> table.group(1))
                    .forEach(created::add);
        }

        assertThat(created).isNotEmpty().containsExactlyInAnyOrderElementsOf(Baseline.LIBRARY_TABLES);
    }
}
