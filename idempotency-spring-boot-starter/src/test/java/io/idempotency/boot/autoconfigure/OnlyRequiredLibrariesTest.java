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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.testing.Notebook;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application that has added the starter and nothing else, found by Boot itself: in a class loader of its own,
 * because a class that is loaded already is not missed.
 */
@PostgresTest
@Tag("full")
class OnlyRequiredLibrariesTest {

    private static final Predicate<String> OPTIONAL = Pattern.compile(
                    "^(micrometer|hibernate|jakarta\\.persistence|spring-(orm|data|web|webmvc|security|aspects|kafka|rabbit|amqp|jms)-|tomcat|liquibase"
                            + "|kafka|artemis|aspectj|junit|mockito|assertj|spring-test|h2|reactor|spring-boot-(starter-)?jdbc-test"
                            + "|spring-boot-(starter-)?(actuator|aspectj|cache|data|flyway|health|hibernate|http|jpa|kafka|liquibase"
                            + "|micrometer|security|servlet|test|tomcat|validation|web|webmvc)-)")
            .asPredicate();

    private static final Predicate<String> FLYWAY = Pattern.compile("^flyway-").asPredicate();

    private final TestDatabase database;

    OnlyRequiredLibrariesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void createTable() {
        Notebook.createTable(database.jdbc());
    }

    @AfterEach
    void dropTable() {
        database.jdbc().execute("drop table note; truncate idempotency.idempotency_request");
    }

    @Test
    void methodsAreIdempotentWithoutJpaWebAndMicrometer() throws Exception {
        requireIdempotent(
                OPTIONAL,
                true,
                "org.springframework.orm.jpa.JpaTransactionManager",
                "org.springframework.web.context.WebApplicationContext",
                "io.micrometer.core.instrument.MeterRegistry");
    }

    @Test
    void methodsAreIdempotentWithoutFlywayOnTablesThatOthersHaveMade() throws Exception {
        requireIdempotent(OPTIONAL.or(FLYWAY), false, "org.flywaydb.core.Flyway");
    }

    private void requireIdempotent(Predicate<String> excluded, boolean migrates, String... missing) throws Exception {
        try (URLClassLoader libraries = new URLClassLoader(classPath(excluded), ClassLoader.getPlatformClassLoader())) {
            for (String optional : missing) {
                assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> libraries.loadClass(optional));
            }
            List<?> answers = run(libraries, migrates);

            assertThat(answers.get(1)).isEqualTo(answers.get(0));
        }
        assertThat(Notebook.count(database.jdbc())).isOne();
    }

    private List<?> run(ClassLoader libraries, boolean migrates) throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(libraries);
        try {
            return (List<?>) libraries
                    .loadClass(SmallApplication.class.getName())
                    .getMethod("writeTwice", String[].class)
                    .invoke(null, (Object) new String[] {
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.main.banner-mode=off",
                        "--idempotency.migrate=" + migrates
                    });
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL[] classPath(Predicate<String> excluded) {
        return Arrays.stream(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .map(Path::of)
                .filter(entry -> !excluded.test(entry.getFileName().toString()))
                .map(OnlyRequiredLibrariesTest::toUrl)
                .toArray(URL[]::new);
    }

    private static URL toUrl(Path entry) {
        try {
            return entry.toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }

    /** Seen from outside by names only: it lives in the other class loader. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Notebook.class)
    public static class SmallApplication {

        public static List<Object> writeTwice(String... arguments) {
            try (ConfigurableApplicationContext application =
                    SpringApplication.run(SmallApplication.class, arguments)) {
                Notebook notebook = application.getBean(Notebook.class);
                return List.of(
                        notebook.write("key", "text").toString(),
                        notebook.write("key", "text").toString());
            }
        }
    }
}
