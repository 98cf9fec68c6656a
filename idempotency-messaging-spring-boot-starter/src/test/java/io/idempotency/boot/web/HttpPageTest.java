package io.idempotency.boot.web;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import io.idempotency.boot.messaging.web.IdempotencyMessageProblemsAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** The tables of {@code docs/http.md} say what the code does. */
class HttpPageTest {

    private static final Pattern RULE = Pattern.compile("^\\* [0-9., ]+[: ].*\\(`(\\w+)`\\)$", Pattern.MULTILINE);

    private static final Pattern PROBLEM =
            Pattern.compile("^\\| `([\\w-]+)` \\| (\\d{3}) \\| ([^|]+) \\|", Pattern.MULTILINE);

    private final String page = Files.readString(Path.of("..", "docs", "http.md"));

    HttpPageTest() throws IOException {}

    @Test
    void eachRuleOfTheDraftHasItsTestAndEachTestItsRule() {
        assertThat(matches(RULE, rule -> rule.group(1)))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(DraftTest.class.getDeclaredMethods())
                        .filter(method -> method.isAnnotationPresent(Test.class))
                        .map(Method::getName)
                        .toList());
    }

    @Test
    void eachProblemIsDocumentedWithItsStatusAndTitle() {
        assertThat(matches(PROBLEM, row -> row.group(1) + " " + row.group(2) + " " + row.group(3)))
                .containsExactlyInAnyOrderElementsOf(Stream.concat(CallProblems.ALL.stream(), ofMessages())
                        .map(problem -> problem.slug() + " " + problem.status().value() + " "
                                + problem.title("Idempotency-Key"))
                        .toList());
    }

    private static Stream<Problem> ofMessages() {
        List<Problem> problems = new ArrayList<>();
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(IdempotencyMessageProblemsAutoConfiguration.class))
                .run(context ->
                        problems.addAll(context.getBeansOfType(Problem.class).values()));
        return problems.stream();
    }

    @Test
    void eachHeaderThatIsReplayedByDefaultIsDocumented() {
        assertThat(page).contains(String.join(", ", IdempotencyWebAutoConfiguration.REPLAYED_HEADERS));
    }

    private List<String> matches(Pattern pattern, Function<MatchResult, String> text) {
        return pattern.matcher(page).results().map(text).toList();
    }
}
