package io.idempotency.boot.autoconfigure;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
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

/** An application that has calls and no messages, found by Boot itself. */
@PostgresTest
class CallsAloneTest {

    /** What these applications do not use, and what would start a server or ask for one. */
    private static final Predicate<String> UNUSED = Pattern.compile(
                    "^(amqp-client|artemis|hibernate-core|kafka|liquibase|mockito|reactor|spring-(amqp|data|jms|kafka|orm|rabbit|security)-"
                            + "|spring-boot-(starter-)?(amqp|artemis|cache|data|hibernate|jms|jpa|kafka|liquibase|security)-)")
            .asPredicate();

    private final TestDatabase database;

    CallsAloneTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void anApplicationHasCallsHttpMetricsAndEndpointsWithoutMessages() throws Exception {
        Notebook.createTable(database.jdbc());

        try (ReducedClassPath libraries = new ReducedClassPath(UNUSED)) {
            assertThatExceptionOfType(ClassNotFoundException.class)
                    .isThrownBy(() -> libraries.loadClass("io.idempotency.outbox.Outbox"));
            List<?> answers = libraries.call(
                    "answers",
                    CallsAlone.class,
                    database,
                    "--server.port=0",
                    "--spring.flyway.enabled=false",
                    "--management.endpoints.web.exposure.include=*",
                    "--management.endpoint.health.show-details=always");

            assertThat(answers.get(0)).asString().startsWith("200 ");
            assertThat(answers.get(1)).isEqualTo(answers.get(0));
            assertThat(answers.subList(2, 5))
                    .allSatisfy(answer -> assertThat(answer).asString().startsWith("200 "));
        }
        assertThat(Notebook.count(database.jdbc())).isOne();
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
