package io.idempotency.boot.autoconfigure;

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

/** An application that has added the starter and nothing else, found by Boot itself. */
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
        try (ReducedClassPath libraries = new ReducedClassPath(excluded)) {
            for (String optional : missing) {
                assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> libraries.loadClass(optional));
            }
            List<?> answers =
                    libraries.call("writeTwice", SmallApplication.class, database, "--idempotency.migrate=" + migrates);

            assertThat(answers.get(1)).isEqualTo(answers.get(0));
        }
        assertThat(Notebook.count(database.jdbc())).isOne();
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
