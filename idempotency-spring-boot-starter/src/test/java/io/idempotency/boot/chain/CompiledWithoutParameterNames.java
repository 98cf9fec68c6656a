package io.idempotency.boot.chain;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

import org.springframework.aot.hint.annotation.Reflective;

import io.idempotency.Idempotent;

import static org.assertj.core.api.Assertions.assertThat;

/** A class of an application whose build forgets {@code -parameters}. */
final class CompiledWithoutParameterNames {

    private CompiledWithoutParameterNames() {}

    static Class<?> compile(Path directory, String className, String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(directory));
            files.setLocationFromPaths(
                    StandardLocation.CLASS_PATH, List.of(codeOf(Idempotent.class), codeOf(Reflective.class)));
            JavaCompiler.CompilationTask task = compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, List.of(new Source(className, source)));
            assertThat(task.call()).as("compiled").isTrue();
            URL[] classPath = {directory.toUri().toURL()};
            return new URLClassLoader(classPath, Idempotent.class.getClassLoader()).loadClass(className);
        } catch (IOException | ClassNotFoundException | URISyntaxException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Path codeOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String content;

        Source(String className, String content) {
            super(URI.create("string:///" + className + ".java"), JavaFileObject.Kind.SOURCE);
            this.content = content;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return content;
        }
    }
}
