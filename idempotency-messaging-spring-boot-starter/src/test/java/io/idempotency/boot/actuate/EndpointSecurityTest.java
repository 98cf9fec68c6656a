package io.idempotency.boot.actuate;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import io.idempotency.boot.testing.Answer;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Who may see responses, and who did something, where Spring Security knows. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class EndpointSecurityTest {

    private static final String RECORD = "record?scope=payments&key=order-42";

    private static final String FORGET = "{\"scope\":\"payments\",\"key\":\"order-42\",\"reason\":\"it was a test\"";

    private final TestDatabase database;

    private final StoredRows rows;

    @AutoClose
    private OperatedApplication application;

    EndpointSecurityTest(TestDatabase database) {
        this.database = database;
        this.rows = new StoredRows(database.jdbc());
    }

    @BeforeAll
    void start() {
        application = OperatedApplication.start(
                database,
                List.of(Secured.class),
                "management.endpoint.idempotency.access=unrestricted",
                "management.endpoint.idempotency.show-responses=when-authorized",
                "management.endpoint.idempotency.roles=SUPPORT");
    }

    @AfterEach
    void clear() {
        rows.clear();
    }

    @Test
    void responsesAreShownToWhoeverHasTheRole() {
        rows.succeeded("order-42", "{\"paid\": 7}");

        assertThat(application.getAs("support", RECORD).text("$.response")).isEqualTo("{\"paid\": 7}");
    }

    @Test
    void responsesAreHiddenFromAllOthers() {
        rows.succeeded("order-42", "{\"paid\": 7}");

        for (Answer answer : List.of(application.getAs("visitor", RECORD), application.get(RECORD))) {
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.flag("$.hasResponse")).isTrue();
            assertThat(answer.body()).doesNotContain("paid");
        }
    }

    @Test
    void whoeverIsAuthenticatedIsWhoDidIt() {
        rows.succeeded("order-42", "7");

        Answer answer = application.postAs("support", "forget", FORGET + "}");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text("$.who")).isEqualTo("support");
        assertThat(rows.requests()).isEmpty();
    }

    @Test
    void nobodyCanSayToBeSomebodyElse() {
        rows.succeeded("order-42", "7");

        Answer answer = application.postAs("support", "forget", FORGET + ",\"who\":\"ada\"}");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()).isEqualTo("'who' is not needed, because you are 'support', and not 'ada'.");
        assertThat(rows.statusOf("order-42")).isEqualTo("succeeded");
    }

    @Test
    void whoeverIsNotAuthenticatedHasToSayWhoItIs() {
        rows.succeeded("order-42", "7");

        Answer answer = application.post("forget", FORGET + "}");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()).startsWith("Missing: who.");
        assertThat(application.post("forget", FORGET + ",\"who\":\"ada\"}").text("$.who"))
                .isEqualTo("ada");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        SecurityAutoConfiguration.class,
        SecurityFilterAutoConfiguration.class,
        ServletWebSecurityAutoConfiguration.class
    })
    static class Secured {

        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(CsrfConfigurer::disable)
                    .build();
        }

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("support")
                            .password("{noop}password")
                            .roles("SUPPORT")
                            .build(),
                    User.withUsername("visitor")
                            .password("{noop}password")
                            .roles("VISITOR")
                            .build());
        }
    }
}
