package io.idempotency.proof;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The example of docs/testing.md compiles, with the service of docs/start.md. */
class TestingPageTest {

    private static final Pattern CODE =
            Pattern.compile("^```java\\n(.*?^class (\\w+).*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void theExampleCompiles(@TempDir Path classes) throws IOException {
        List<Source> sources = Stream.concat(
                        code("start.md").filter(source -> source.name.equals("TransferService")),
                        code("testing.md").filter(source -> source.code.contains("IdempotencyProof")))
                .toList();
        StringWriter messages = new StringWriter();

        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        messages,
                        null,
                        null,
                        List.of("-parameters", "-proc:none", "-d", classes.toString()),
                        null,
                        sources)
                .call();

        assertThat(sources).hasSize(2);
        assertThat(compiled).as(messages.toString()).isTrue();
    }

    private static Stream<Source> code(String page) throws IOException {
        return CODE.matcher(Files.readString(Path.of("../docs").resolve(page)))
                .results()
                .map(block -> new Source(block.group(2), block.group(1)));
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String name;

        private final String code;

        Source(String name, String code) {
            super(URI.create("string:///" + name + JavaFileObject.Kind.SOURCE.extension), Kind.SOURCE);
            this.name = name;
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
        }
    }
}
