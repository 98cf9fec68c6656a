package io.idempotency.boot.documentation;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples in Java of a page as classes, which are in no package, so that they can be run. */
final class JavaExamples implements AutoCloseable {

    private static final Pattern TYPE_NAME =
            Pattern.compile("^(?:public |final )*(?:class|record|interface) (\\w+)", Pattern.MULTILINE);

    private final URLClassLoader loader;

    /**
     * Compiles and loads them.
     *
     * @param classes empty folder for the classes
     */
    JavaExamples(MarkdownFile page, Path classes) throws MalformedURLException {
        compile(page, classes);
        loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, JavaExamples.class.getClassLoader());
    }

    /** Returns a class of an example, a nested one with a dollar sign. */
    Class<?> type(String name) throws ClassNotFoundException {
        return loader.loadClass(name);
    }

    /** Creates an object of a class whose constructor has these arguments. */
    Object create(String name, Object... arguments) throws ReflectiveOperationException {
        Constructor<?> constructor = type(name).getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(arguments);
    }

    /** Starts an application that has some of these classes. */
    <T> T start(Callable<T> application) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return application.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }

    /** Returns the examples of a page, without those of the test kit, whose module needs this one and compiles them itself. */
    static List<MarkdownFile.CodeBlock> of(MarkdownFile page) {
        return page.code("java").stream()
                .filter(block -> !block.code().contains("io.idempotency.proof"))
                .toList();
    }

    /** Compiles the examples of a page together. */
    static void compile(MarkdownFile page, Path classes) {
        StringWriter messages = new StringWriter();

        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        messages,
                        null,
                        null,
                        List.of("-parameters", "-proc:none", "-d", classes.toString()),
                        null,
                        of(page).stream().map(JavaExamples::sourceOf).toList())
                .call();

        assertThat(compiled).as(messages.toString()).isTrue();
    }

    private static Source sourceOf(MarkdownFile.CodeBlock block) {
        Matcher typeName = TYPE_NAME.matcher(block.code());
        assertThat(typeName.find()).as("a complete type in " + block.name()).isTrue();
        return new Source(typeName.group(1), block.code());
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String code;

        Source(String typeName, String code) {
            super(URI.create("string:///" + typeName + Kind.SOURCE.extension), Kind.SOURCE);
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
        }
    }
}
