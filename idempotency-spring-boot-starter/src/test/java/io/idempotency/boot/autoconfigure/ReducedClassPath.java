package io.idempotency.boot.autoconfigure;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.idempotency.test.TestDatabase;

/** The class path of the tests without some jars, in a class loader of its own: a class that is loaded already is not missed. */
final class ReducedClassPath extends URLClassLoader {

    /**
     * Creates the class path.
     *
     * @param isMissing whether a jar of that file name is left out
     */
    ReducedClassPath(Predicate<String> isMissing) {
        super(urls(isMissing), ClassLoader.getPlatformClassLoader());
    }

    private static URL[] urls(Predicate<String> isMissing) {
        return Arrays.stream(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .map(Path::of)
                .filter(entry -> !isMissing.test(entry.getFileName().toString()))
                .map(ReducedClassPath::toUrl)
                .toArray(URL[]::new);
    }

    private static URL toUrl(Path entry) {
        try {
            return entry.toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }

    /** Calls a static method of a class of this class loader, with the arguments of an application on that database. */
    List<?> call(String method, Class<?> application, TestDatabase database, String... arguments)
            throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(this);
        try {
            return (List<?>) loadClass(application.getName())
                    .getMethod(method, String[].class)
                    .invoke(null, (Object) Stream.concat(
                                    Stream.of(
                                            "--spring.datasource.url=" + database.jdbcUrl(),
                                            "--spring.datasource.username=" + database.username(),
                                            "--spring.datasource.password=" + database.password(),
                                            "--spring.main.banner-mode=off"),
                                    Stream.of(arguments))
                            .toArray(String[]::new));
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
