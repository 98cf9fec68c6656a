package io.idempotency.boot.documentation;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

import io.idempotency.boot.IdempotencyProperties;

import static org.assertj.core.api.Assertions.assertThat;

/** Every example in the documentation is one that works. */
class DocumentationTest {

    private static final Pattern TYPE_NAME =
            Pattern.compile("^(?:public |final )*(?:class|record|interface) (\\w+)", Pattern.MULTILINE);

    static Stream<MarkdownFile> pagesWithJava() throws IOException {
        return pages().filter(page -> !page.code("java").isEmpty());
    }

    static Stream<MarkdownFile.CodeBlock> yamlBlocks() throws IOException {
        return MarkdownFile.all().stream().flatMap(page -> page.code("yaml").stream());
    }

    static Stream<MarkdownFile> pages() throws IOException {
        return MarkdownFile.all().stream();
    }

    /** Together: an example may use what an earlier one of the page has shown. */
    @ParameterizedTest
    @MethodSource("pagesWithJava")
    void javaExamplesOfAPageCompile(MarkdownFile page, @TempDir Path classes) {
        StringWriter messages = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

        boolean compiled = compiler.getTask(
                        messages,
                        null,
                        null,
                        List.of("-parameters", "-proc:none", "-d", classes.toString()),
                        null,
                        page.code("java").stream()
                                .map(DocumentationTest::sourceOf)
                                .toList())
                .call();

        assertThat(compiled).as(messages.toString()).isTrue();
    }

    private static Source sourceOf(MarkdownFile.CodeBlock block) {
        Matcher typeName = TYPE_NAME.matcher(block.code());
        assertThat(typeName.find()).as("a complete type in " + block.name()).isTrue();
        return new Source(typeName.group(1), block.code());
    }

    @ParameterizedTest
    @MethodSource("yamlBlocks")
    void yamlExamplesBind(MarkdownFile.CodeBlock block) throws IOException {
        List<PropertySource<?>> sources = new YamlPropertySourceLoader()
                .load(block.name(), new ByteArrayResource(block.code().getBytes(StandardCharsets.UTF_8)));
        BindHandler nothingUnknown = new NoUnboundElementsBindHandler(BindHandler.DEFAULT);

        assertThat(new Binder(ConfigurationPropertySources.from(sources))
                        .bindOrCreate("idempotency", Bindable.of(IdempotencyProperties.class), nothingUnknown))
                .isNotNull();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(MarkdownFile page) {
        assertThat(page.relativeLinks())
                .allSatisfy(link ->
                        assertThat(Files.exists(page.resolve(link))).as(link).isTrue());
    }

    @Test
    void thereAreExamples() throws IOException {
        assertThat(pagesWithJava()).isNotEmpty();
        assertThat(yamlBlocks()).isNotEmpty();
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String code;

        Source(String typeName, String code) {
            super(URI.create("string:///" + typeName + JavaFileObject.Kind.SOURCE.extension), Kind.SOURCE);
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
        }
    }
}
