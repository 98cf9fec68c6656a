package io.idempotency.boot.web;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.servlet.DispatcherServlet;

import io.idempotency.boot.security.IdempotencySecurityAutoConfiguration;
import io.idempotency.boot.testing.StartupReport;

import static org.assertj.core.api.Assertions.assertThat;

/** When the web layer is there, when it stays away, and what replaces its parts. */
class WebAutoConfigurationTest {

    private static final Configurations OURS =
            AutoConfigurations.of(IdempotencyWebAutoConfiguration.class, IdempotencySecurityAutoConfiguration.class);

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
            .withConfiguration(OURS);

    @Test
    void staysAwayWithoutSpringMvc() {
        new WebApplicationContextRunner()
                .withConfiguration(OURS)
                .withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .run(context -> assertThat(context).doesNotHaveBean(IdempotencyWebAutoConfiguration.class));
    }

    @Test
    void staysAwayFromApplicationsThatServeNoServlets() {
        new ApplicationContextRunner()
                .withConfiguration(OURS)
                .run(context -> assertThat(context).doesNotHaveBean(IdempotencyWebAutoConfiguration.class));
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(OURS)
                .run(context -> assertThat(context).doesNotHaveBean(IdempotencyWebAutoConfiguration.class));
    }

    @Test
    void problemsCanBeSwitchedOff() {
        application.run(context -> assertThat(context).hasBean("idempotencyProblemConfigurer"));
        application
                .withPropertyValues("idempotency.http.problem-details=false")
                .run(context -> assertThat(context)
                        .hasSingleBean(KeyHeader.class)
                        .doesNotHaveBean("idempotencyProblemConfigurer"));
    }

    @Test
    void requiredCallersWithoutAnyoneWhoKnowsThemAreReported() {
        application
                .withPropertyValues("idempotency.http.require-caller=true", "idempotency.http.caller=none")
                .run(context -> {
                    StartupReport report = StartupReport.of(context.getStartupFailure());

                    assertThat(report.description())
                            .contains("idempotency.http.require-caller is set, but there is no CallerResolver");
                    assertThat(report.action()).contains("CallerResolver bean", "Spring Security");
                });
        application
                .withPropertyValues("idempotency.http.require-caller=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aNativeImageKeepsWhatProblemsAreWrittenBy() {
        RuntimeHints hints = new RuntimeHints();

        new IdempotencyWebRuntimeHints().registerHints(hints, getClass().getClassLoader());

        assertThat(RuntimeHintsPredicates.reflection().onType(IdempotencyProblems.class))
                .accepts(hints);
    }
}
