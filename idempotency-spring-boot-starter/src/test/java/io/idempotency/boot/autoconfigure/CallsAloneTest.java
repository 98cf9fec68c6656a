package io.idempotency.boot.autoconfigure;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.web.IdempotencyKeyHeader;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application that has calls and no messages: a class loader of its own has none of their packages, so that whatever needs one
 * of their classes fails.
 */
@PostgresTest
class CallsAloneTest {

    /** The packages of messages, with those below them. */
    static final List<String> OF_MESSAGES = List.of(
            "io.idempotency.inbox",
            "io.idempotency.outbox",
            "io.idempotency.messaging",
            "io.idempotency.internal.inbox",
            "io.idempotency.internal.outbox",
            "io.idempotency.internal.resume",
            "io.idempotency.internal.postgres.inbox",
            "io.idempotency.internal.postgres.messaging",
            "io.idempotency.internal.postgres.outbox",
            "io.idempotency.internal.postgres.partition",
            "io.idempotency.boot.kafka",
            "io.idempotency.boot.messaging",
            "io.idempotency.boot.outbox",
            "io.idempotency.boot.rabbit",
            "io.idempotency.boot.resume");

    /** What these applications do not use, and what would start a server or ask for one. */
    private static final Pattern UNUSED = Pattern.compile(
            "^(amqp-client|artemis|hibernate-core|kafka|liquibase|mockito|reactor|spring-(amqp|data|jms|kafka|orm|rabbit|security)-"
                    + "|spring-boot-(starter-)?(amqp|artemis|cache|data|hibernate|jms|jpa|kafka|liquibase|security)-).*");

    private final TestDatabase database;

    CallsAloneTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void anApplicationHasCallsHttpMetricsAndEndpointsWithoutMessages() throws Exception {
        Notebook.createTable(database.jdbc());

        try (URLClassLoader libraries = new WithoutMessages()) {
            assertThatExceptionOfType(ClassNotFoundException.class)
                    .isThrownBy(() -> libraries.loadClass("io.idempotency.boot.kafka.KafkaSender"));
            List<?> answers = run(libraries);

            assertThat(answers.get(0)).asString().startsWith("200 ");
            assertThat(answers.get(1)).isEqualTo(answers.get(0));
            assertThat(answers.subList(2, 5))
                    .allSatisfy(answer -> assertThat(answer).asString().startsWith("200 "));
        }
        assertThat(Notebook.count(database.jdbc())).isOne();
    }

    private List<?> run(ClassLoader libraries) throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(libraries);
        try {
            return (List<?>) libraries
                    .loadClass(CallsAlone.class.getName())
                    .getMethod("answers", String[].class)
                    .invoke(null, (Object) new String[] {
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.main.banner-mode=off",
                        "--spring.autoconfigure.exclude=" + autoConfigurationsOfMessages(),
                        "--server.port=0",
                        "--spring.flyway.enabled=false",
                        "--management.endpoints.web.exposure.include=*",
                        "--management.endpoint.health.show-details=always"
                    });
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** The imports file of this module names them until they are in one of their own. */
    private static String autoConfigurationsOfMessages() {
        return ImportCandidates.load(AutoConfiguration.class, null).getCandidates().stream()
                .filter(CallsAloneTest::isHidden)
                .collect(Collectors.joining(","));
    }

    private static boolean isHidden(String className) {
        return OF_MESSAGES.stream().anyMatch(name -> className.startsWith(name + "."));
    }

    private static final class WithoutMessages extends URLClassLoader {

        WithoutMessages() {
            super(classPath(), ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (isHidden(name)) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }

        private static URL[] classPath() {
            return Arrays.stream(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                    .map(Path::of)
                    .filter(entry ->
                            !UNUSED.matcher(entry.getFileName().toString()).matches())
                    .map(WithoutMessages::toUrl)
                    .toArray(URL[]::new);
        }

        private static URL toUrl(Path entry) {
            try {
                return entry.toUri().toURL();
            } catch (MalformedURLException impossible) {
                throw new IllegalArgumentException(impossible);
            }
        }
    }

    /** Seen from outside by names only: it lives in the other class loader. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Notebook.class, Notes.class})
    public static class CallsAlone {

        public static List<String> answers(String... arguments) throws Exception {
            // it is one for the whole process, and that of the other tests has the same name
            TomcatURLStreamHandlerFactory.disable();
            try (ConfigurableApplicationContext application = SpringApplication.run(CallsAlone.class, arguments)) {
                String base = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
                HttpRequest.Builder call = HttpRequest.newBuilder(URI.create(base + "/notes"))
                        .header("Idempotency-Key", "\"key\"")
                        .POST(BodyPublishers.ofString("text"));
                List<String> answers = new ArrayList<>(List.of(send(call), send(call)));
                for (String path : List.of("health", "idempotency", "metrics/idempotency.calls")) {
                    answers.add(send(HttpRequest.newBuilder(URI.create(base + "/actuator/" + path))));
                }
                return answers;
            }
        }

        private static String send(HttpRequest.Builder request) throws Exception {
            HttpResponse<String> response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        }
    }

    @RestController
    static class Notes {

        private final Notebook notebook;

        Notes(Notebook notebook) {
            this.notebook = notebook;
        }

        @PostMapping("/notes")
        String write(@IdempotencyKeyHeader String key, @RequestBody String text) {
            return notebook.write(key, text).toString();
        }
    }
}
