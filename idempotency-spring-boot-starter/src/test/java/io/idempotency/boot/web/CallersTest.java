package io.idempotency.boot.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import io.idempotency.CallerResolver;
import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.boot.testing.HttpCall;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.boot.web.SecuredApplication.ALICE;
import static io.idempotency.boot.web.SecuredApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;

/** One caller never meets another's keys or responses, and security comes before every replay. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallersTest {

    private final TestDatabase database;

    @AutoClose
    private final HttpApplication application;

    CallersTest(TestDatabase database) {
        this.database = database;
        Orders.createTable(database);
        application = start(List.of());
    }

    private HttpApplication start(List<Class<?>> beans, String... properties) {
        List<Class<?>> all = new ArrayList<>(beans);
        all.addAll(List.of(Orders.class, SecuredApplication.class));
        return HttpApplication.start(database, all, properties);
    }

    @AfterEach
    void clear() {
        Orders.clear(application);
        giveRole(ALICE, "MEMBER");
        giveRole(BOB, "MEMBER");
    }

    @Test
    void twoPrincipalsWithOneKeyNeverMeet() throws Exception {
        Answer ofAlice = orderTo(application).as(ALICE).send();
        Answer ofBob = orderTo(application).as(BOB).send();

        assertThat(ofBob.isReplayed()).isFalse();
        assertThat(ofBob.text("$.id")).isNotEqualTo(ofAlice.text("$.id"));
        assertThat(Orders.count(application)).isEqualTo(2);
        assertThat(orderTo(application).as(ALICE).send().withoutMark()).isEqualTo(ofAlice);
        assertThat(orderTo(application).as(BOB).send().withoutMark()).isEqualTo(ofBob);
        assertThat(callers()).containsExactly(ALICE, BOB);
    }

    @Test
    void callersAreRequiredWhereAKeyIsTaken() throws Exception {
        try (HttpApplication requiring = start(List.of(), "idempotency.http.require-caller=true")) {
            Answer refused = orderTo(requiring).send();

            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.problem()).isEqualTo("missing-caller");
            assertThat(refused.text("$.title")).isEqualTo("Caller is not known");
            assertThat(requiring.requests()).isZero();
            assertThat(Orders.count(requiring)).isZero();
            assertThat(orderTo(requiring).as(ALICE).send().status()).isEqualTo(201);

            assertThat(requiring.post("/unrelated").key("key").send().status()).isEqualTo(200);
            assertThat(requiring.call("GET", "/any-method").send().status()).isEqualTo(200);
            assertThat(requiring.post("/any-method").key("key").send().status()).isEqualTo(403);
        }
    }

    @Test
    void aRequiredCallerMayBeATenantThatAnInterceptorFinds() throws Exception {
        try (HttpApplication requiring = start(List.of(Tenants.class), "idempotency.http.require-caller=true")) {
            assertThat(orderTo(requiring).as(ALICE).send().problem()).isEqualTo("missing-caller");
            assertThat(orderTo(requiring).header("X-Tenant", "acme").send().status())
                    .isEqualTo(201);
            assertThat(callers()).containsExactly("acme");
        }
    }

    /** A filter does not run again when Spring MVC dispatches the request a second time, with the result. */
    @Test
    void aRequiredCallerIsNotAskedForAgainAfterTheCall() throws Exception {
        try (HttpApplication requiring =
                start(List.of(FilteredTenants.class), "idempotency.http.require-caller=true")) {
            HttpCall order =
                    requiring.post("/future-orders").key("key").json(Orders.TEA).header("X-Tenant", "acme");

            Answer first = order.send();

            assertThat(first.status()).isEqualTo(200);
            assertThat(order.send().withoutMark()).isEqualTo(first);
            assertThat(callers()).containsExactly("acme");
            assertThat(requiring
                            .post("/future-orders")
                            .key("key")
                            .json(Orders.TEA)
                            .send()
                            .problem())
                    .isEqualTo("missing-caller");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/members/secret", "/secret"})
    void whoHasLostTheRoleIsNotShownTheStoredResponse(String path) throws Exception {
        HttpCall call = application.post(path).key("key").as(ALICE);
        Answer stored = call.send();
        assertThat(stored.body()).startsWith("secret");
        String row = row();

        giveRole(ALICE, "GUEST");
        Answer refused = call.send();

        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.body()).doesNotContain("secret ", stored.body());
        assertThat(refused.isReplayed()).isFalse();
        assertThat(row()).isEqualTo(row);

        giveRole(ALICE, "MEMBER");
        assertThat(call.send().body()).isEqualTo(stored.body());
    }

    private void giveRole(String user, String role) {
        application.bean(InMemoryUserDetailsManager.class).updateUser(SecuredApplication.user(user, role));
    }

    private static HttpCall orderTo(HttpApplication application) {
        return application.post("/orders").key("key").json(Orders.TEA);
    }

    private List<String> callers() {
        return database.jdbc()
                .queryForList(
                        "select distinct caller from idempotency.idempotency_request order by caller", String.class);
    }

    private String row() {
        return database.jdbc().queryForObject("select r::text from idempotency.idempotency_request r", String.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Tenants implements WebMvcConfigurer {

        private static final ThreadLocal<String> TENANT = ThreadLocal.withInitial(() -> "");

        @Override
        public void addInterceptors(InterceptorRegistry registry) {
            registry.addInterceptor(new HandlerInterceptor() {
                @Override
                public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
                    String tenant = request.getHeader("X-Tenant");
                    TENANT.set(tenant == null ? "" : tenant);
                    return true;
                }

                @Override
                public void afterCompletion(
                        HttpServletRequest request, HttpServletResponse response, Object handler, Exception failure) {
                    TENANT.remove();
                }
            });
        }

        @Bean
        CallerResolver tenantIsTheCaller() {
            return TENANT::get;
        }
    }

    @RestController
    static class FilteredTenants extends OncePerRequestFilter implements CallerResolver {

        private final ThreadLocal<String> tenant = ThreadLocal.withInitial(() -> "");

        private final Orders.Service orders;

        FilteredTenants(Orders.Service orders) {
            this.orders = orders;
        }

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            String header = request.getHeader("X-Tenant");
            tenant.set(header == null ? "" : header);
            try {
                chain.doFilter(request, response);
            } finally {
                tenant.remove();
            }
        }

        @Override
        public String resolveCaller() {
            return tenant.get();
        }

        @PostMapping("/future-orders")
        CompletableFuture<Orders.Confirmation> place(
                @IdempotencyKeyHeader String key, @RequestBody Orders.Order order) {
            return CompletableFuture.completedFuture(orders.place(key, order));
        }
    }
}
