package io.idempotency.sample.patterns;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The SQL of the page on messaging is that of these tests, but for the publication, which ReleaseTest uses. */
class MessagingPageTest {

    private static final Pattern SQL = Pattern.compile("^```sql\\n(.*?)\\n```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Path TESTS = Path.of("src", "test", "java", "io", "idempotency", "sample", "patterns");

    @Test
    void eachStatementOfThePageIsTested() throws IOException {
        List<String> statements = SQL.matcher(Files.readString(Path.of("..", "docs", "messaging.md")))
                .results()
                .map(statement -> withoutLayout(statement.group(1)))
                .filter(statement -> !statement.startsWith("create publication "))
                .toList();

        String tested = withoutLayout(sources());

        assertThat(statements)
                .hasSize(5)
                .allSatisfy(statement -> assertThat(tested).contains(statement));
    }

    private static String sources() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(TESTS)) {
            for (Path file : files.toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    private static String withoutLayout(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
