package io.idempotency.boot.security;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.ListeningSecurityContextHolderStrategy;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.DispatcherServlet;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.idempotency.CallerResolver;
import io.idempotency.boot.testing.StartupReport;

import static org.assertj.core.api.Assertions.assertThat;

/** Which applications know the callers of their keys by Spring Security, and what is said where that cannot be. */
class SecurityAutoConfigurationTest {

    private static final AutoConfigurations OURS = AutoConfigurations.of(IdempotencySecurityAutoConfiguration.class);

    private final ApplicationContextRunner application = new ApplicationContextRunner().withConfiguration(OURS);

    private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
            .withConfiguration(OURS)
            .withBean("users", SecurityWebFilterChain.class, SecurityAutoConfigurationTest::reactiveSecurity);

    private static SecurityWebFilterChain reactiveSecurity() {
        return new SecurityWebFilterChain() {
            @Override
            public Mono<Boolean> matches(ServerWebExchange exchange) {
                return Mono.empty();
            }

            @Override
            public Flux<WebFilter> getWebFilters() {
                return Flux.empty();
            }
        };
    }

    @AfterEach
    void clear() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void principalsAreKnownInEveryKindOfApplication() {
        requirePrincipals(application);
        requirePrincipals(application.withClassLoader(new FilteredClassLoader(DispatcherServlet.class)));
        requirePrincipals(new WebApplicationContextRunner().withConfiguration(OURS));
        requirePrincipals(new ReactiveWebApplicationContextRunner().withConfiguration(OURS));
    }

    private static void requirePrincipals(AbstractApplicationContextRunner<?, ?, ?> kind) {
        kind.run(context ->
                assertThat(context.getBean(CallerResolver.class)).isInstanceOf(PrincipalCallerResolver.class));
    }

    @Test
    void withoutSpringSecurityThereAreNoPrincipals() {
        application
                .withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CallerResolver.class));
    }

    @Test
    void aPartOfSpringSecurityIsNotEnoughForPrincipals() {
        application
                .withClassLoader(new FilteredClassLoader(SecurityContextHolder.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CallerResolver.class));
    }

    @Test
    void principalsAreNotAskedForWhereTheyAreNotWanted() {
        application
                .withPropertyValues("idempotency.http.caller=none")
                .run(context -> assertThat(context).doesNotHaveBean(CallerResolver.class));
        application
                .withBean("own", CallerResolver.class, () -> () -> "tenant")
                .run(context -> assertThat(context)
                        .hasSingleBean(CallerResolver.class)
                        .doesNotHaveBean(PrincipalCallerResolver.class));
    }

    @Test
    void theStrategyOfTheApplicationIsAsked() {
        SecurityContextHolderStrategy own = new ListeningSecurityContextHolderStrategy(change -> {});
        own.setContext(new SecurityContextImpl(new TestingAuthenticationToken("alice", "password", "ROLE_USER")));

        application
                .withBean(SecurityContextHolderStrategy.class, () -> own)
                .run(context -> assertThat(context.getBean(CallerResolver.class).resolveCaller())
                        .isEqualTo("alice"));
    }

    @Test
    void refusesReactiveSecurityOfWhichNoThreadKnows() {
        reactive.run(context -> {
            StartupReport report = StartupReport.of(context.getStartupFailure());

            assertThat(report.description())
                    .contains("Spring Security is reactive here (the bean 'users')", "would share their keys");
            assertThat(report.action()).contains("CallerResolver bean", "idempotency.http.caller=none");
        });
    }

    @Test
    void reactiveSecurityIsNoMatterWhereTheApplicationKnowsItsCallers() {
        reactive.withBean("own", CallerResolver.class, () -> () -> "tenant")
                .run(context -> assertThat(context).hasNotFailed());
        reactive.withPropertyValues("idempotency.http.caller=none")
                .run(context -> assertThat(context).hasNotFailed());
        reactive.withPropertyValues("idempotency.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
