package io.idempotency.boot.documentation;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.OptimisticLockException;
import jakarta.servlet.DispatcherType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.domain.Page;
import org.springframework.data.web.PagedModel;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Service;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Examples of several pages do what the text beside them says. */
@PostgresTest
@Tag("full")
class ExamplesTest {

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    @TempDir
    private Path classes;

    ExamplesTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @AfterEach
    void clear() {
        jdbc.execute("drop schema if exists idempotency cascade; drop schema public cascade; create schema public");
    }

    @Test
    void aResponseOfJpaHasTheVersionThatWasWritten() throws Exception {
        jdbc.execute("create table account (id bigint primary key, version bigint not null, cents bigint not null)");
        jdbc.execute("insert into account values (1, 0, 1000)");
        try (JavaExamples examples = new JavaExamples(MarkdownFile.of("contract.md"), classes);
                ConfigurableApplicationContext application = examples.start(() -> JdbcTestApplication.start(
                        database, new Class<?>[] {WithJpa.class, examples.type("Deposits")}))) {
            Object deposits = application.getBean(examples.type("Deposits"));

            Object first = deposit(deposits, "key-1");

            assertThat(first).isEqualTo(examples.create("Deposits$Balance", 1100L, 1L));
            assertThat(deposit(deposits, "key-1")).isEqualTo(first);
            assertThat(jdbc.queryForMap("select version, cents from account"))
                    .isEqualTo(Map.of("version", 1L, "cents", 1100L));

            conflictWithEntitiesOfAnOpenView(application, deposits, examples.type("Deposits$Account"));

            assertThat(deposit(deposits, "key-2"))
                    .as("a conflict leaves the key to a repeat")
                    .isEqualTo(examples.create("Deposits$Balance", 2100L, 3L));
        }
    }

    private void conflictWithEntitiesOfAnOpenView(
            ConfigurableApplicationContext application, Object deposits, Class<?> entity) {
        EntityManagerFactory factory = application.getBean(EntityManagerFactory.class);
        try (EntityManager ofTheRequest = factory.createEntityManager()) {
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(ofTheRequest));
            try {
                ofTheRequest.find(entity, 1L);
                jdbc.update("update account set version = 2, cents = 2000");

                assertThatThrownBy(() -> deposit(deposits, "key-2")).isInstanceOf(OptimisticLockException.class);
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
    }

    private static Object deposit(Object deposits, String key) {
        return ReflectionTestUtils.invokeMethod(deposits, "deposit", key, 1L, 100L);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {

        @Bean
        PersistenceManagedTypes managedTypes() {
            return PersistenceManagedTypes.of("Deposits$Account");
        }
    }

    @Test
    void aWebhookIsHandledOnceIfItsSignatureIsRight() throws Exception {
        jdbc.execute("create table paid (cents bigint not null)");
        String body = "{\"id\": \"evt_1\",  \"cents\": 1250}";
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("sécret".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        String signature = HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
        try (JavaExamples examples = new JavaExamples(MarkdownFile.of("messaging.md"), classes);
                HttpApplication application = examples.start(() -> HttpApplication.start(
                        database, List.of(examples.type("PaymentWebhook")), "webhook.secret=sécret"))) {
            assertThat(webhook(application, body, signature)).isEqualTo(200);
            assertThat(webhook(application, body, signature)).isEqualTo(200);
            assertThat(webhook(application, body + " ", signature)).isEqualTo(401);
            assertThat(webhook(application, body, "not hexadecimal")).isEqualTo(401);
            assertThat(webhook(application, " ".repeat(1 << 20) + body, signature))
                    .isEqualTo(413);

            assertThat(jdbc.queryForList("select cents from paid", Long.class)).containsExactly(1250L);
        }
    }

    @Test
    void withSpringSecurityAProviderGetsTheStatusOfItsFailure() throws Exception {
        try (JavaExamples examples = new JavaExamples(MarkdownFile.of("messaging.md"), classes);
                HttpApplication application = examples.start(() -> HttpApplication.start(
                        database,
                        List.of(examples.type("PaymentWebhook"), WithSecurity.class),
                        "webhook.secret=secret"))) {
            assertThat(webhook(application, "{}", "another signature")).isEqualTo(401);
            assertThat(post(application, "/webhooks/payments", "X-Other", "", "{}")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(post(application, "/other", "X-Other", "", "{}").statusCode())
                    .isEqualTo(403);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        SecurityAutoConfiguration.class,
        SecurityFilterAutoConfiguration.class,
        ServletWebSecurityAutoConfiguration.class
    })
    static class WithSecurity {

        @Bean
        SecurityFilterChain webhooks(HttpSecurity http) throws Exception {
            String webhooks = "/webhooks/**";
            return http.csrf(csrf -> csrf.ignoringRequestMatchers(webhooks))
                    .authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
                            .permitAll()
                            .requestMatchers(webhooks)
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .build();
        }
    }

    private static int webhook(HttpApplication application, String body, String signature) throws Exception {
        return post(application, "/webhooks/payments", "X-Signature", signature, body)
                .statusCode();
    }

    private static HttpResponse<String> post(
            HttpApplication application, String path, String header, String value, String body) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(application.url() + path))
                                .header("Content-Type", "application/json")
                                .header(header, value)
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aPageIsMadeOfWhatIsStored() throws Exception {
        try (JavaExamples examples = new JavaExamples(MarkdownFile.of("http.md"), classes);
                HttpApplication application =
                        examples.start(() -> HttpApplication.start(database, List.of(examples.type("Seats"))))) {
            List<HttpResponse<String>> answers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                answers.add(post(application, "/seats", "Idempotency-Key", "key-1", ""));
            }

            assertThat(answers).extracting(HttpResponse::body).containsOnly("""
                    {"content":["1A","1B"],"page":{"size":2,"number":0,"totalElements":40,"totalPages":20}}""");
            assertThat(answers.get(1).headers().firstValue("Idempotent-Replayed"))
                    .hasValue("true");
        }
        for (Class<?> pages : List.of(Pages.class, PagedModels.class)) {
            assertThatThrownBy(() -> JdbcTestApplication.start(database, new Class<?>[] {pages}))
                    .hasMessageContaining(
                            "return a record of what the caller needs, such as the content and the total");
        }
    }

    @Service
    static class Pages {

        @Idempotent(scope = "pages", key = "#key")
        public Page<String> page(String key) {
            return Page.empty();
        }
    }

    @Service
    static class PagedModels {

        @Idempotent(scope = "paged-models", key = "#key")
        public PagedModel<String> page(String key) {
            return new PagedModel<>(Page.empty());
        }
    }
}
