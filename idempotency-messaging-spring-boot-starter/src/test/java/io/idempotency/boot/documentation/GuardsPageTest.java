package io.idempotency.boot.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page of guards names is there. */
class GuardsPageTest {

    private static final Pattern GUARD = Pattern.compile("^\\* (`[^:]+`):\\s+([^*]+)", Pattern.MULTILINE);

    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    private static final Pattern EXTENDS =
            Pattern.compile("^(?:abstract |final )?class \\w+ extends (\\w+)", Pattern.MULTILINE);

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

        assertThat(namesIn(2).stream().map(GuardsPageTest::fileOf).toList())
                .isNotEmpty()
                .isSubsetOf(sources.keySet())
                .noneMatch(test -> isLeftToTheFullSuite(sources.get(test)));
    }

    /** A test is named alone, or with the method that fails. */
    @Test
    void everyMethodIsInTheDefaultSuite() throws IOException {
        Map<String, Path> sources = filesOf("test");

        assertThat(namesIn(2).stream().filter(name -> name.contains("#")).toList())
                .isNotEmpty()
                .allMatch(name -> isInTheDefaultSuite(name.substring(name.indexOf('#') + 1), fileOf(name), sources));
    }

    private static String fileOf(String name) {
        return name.replaceFirst("#.*", "") + ".java";
    }

    /** Its annotations are the lines before it, as far as none is empty. It may be inherited. */
    private static boolean isInTheDefaultSuite(String method, String file, Map<String, Path> sources) {
        String text = read(sources.get(file));
        Optional<String> declared = Pattern.compile("(?:^.+\\n)*^    void " + method + "\\(", Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .findFirst();
        if (declared.isPresent()) {
            return !declared.get().contains("@Tag(\"full\")");
        }
        return EXTENDS.matcher(text)
                .results()
                .map(extended -> extended.group(1) + ".java")
                .filter(sources::containsKey)
                .anyMatch(extended -> isInTheDefaultSuite(method, extended, sources));
    }

    private static List<String> namesIn(int part) throws IOException {
        return GUARD.matcher(Files.readString(ROOT.resolve("docs/guards.md")))
                .results()
                .flatMap(guard -> NAME.matcher(guard.group(part)).results())
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
        return Pattern.compile("^@Tag\\(\"full\"\\)", Pattern.MULTILINE)
                .matcher(read(test))
                .find();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
