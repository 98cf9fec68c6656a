package io.idempotency.boot.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page of guards names is there. */
class GuardsPageTest {

    private static final Pattern ROW = Pattern.compile("^\\| (`[^|]+`) \\| ([^|]+) \\|$", Pattern.MULTILINE);

    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    private static final Path ROOT = Path.of("..");

    @Test
    void everyGuardIsInTheMainSources() throws IOException {
        Map<String, Path> sources = filesOf("main");

        assertThat(namesIn(1).stream()
                        .map(name -> name.contains(".") ? name : name + ".java")
                        .toList())
                .isNotEmpty()
                .isSubsetOf(sources.keySet());
    }

    @Test
    void everyTestIsInTheDefaultSuite() throws IOException {
        Map<String, Path> sources = filesOf("test");

        assertThat(namesIn(2).stream().map(test -> test + ".java").toList())
                .isNotEmpty()
                .isSubsetOf(sources.keySet())
                .noneMatch(test -> isLeftToTheFullSuite(sources.get(test)));
    }

    private static List<String> namesIn(int column) throws IOException {
        return ROW.matcher(Files.readString(ROOT.resolve("docs/guards.md")))
                .results()
                .flatMap(row -> NAME.matcher(row.group(column)).results())
                .map(name -> name.group(1))
                .toList();
    }

    private static Map<String, Path> filesOf(String kind) throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src").resolve(kind))
                    .filter(Files::isDirectory)
                    .flatMap(GuardsPageTest::filesIn)
                    .collect(Collectors.toMap(
                            file -> file.getFileName().toString(), file -> file, (first, second) -> first));
        }
    }

    private static Stream<Path> filesIn(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a class; single methods may be. */
    private static boolean isLeftToTheFullSuite(Path test) {
        try {
            return Pattern.compile("^@Tag\\(\"full\"\\)", Pattern.MULTILINE)
                    .matcher(Files.readString(test))
                    .find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
