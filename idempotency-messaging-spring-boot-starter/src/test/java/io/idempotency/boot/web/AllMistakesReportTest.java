package io.idempotency.boot.web;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The mistakes of all parts of an application stand in one report, so that it is not started once for each. */
@PostgresTest
class AllMistakesReportTest {

    private static final List<Class<?>> PARTS = List.of(
            NumberAsKey.class,
            TwoKeys.class,
            AsyncToResume.class,
            Handlers.class,
            SameConsumer.class,
            WithOutbox.class);

    private static final String[] PROBLEMS = {
        "NumberAsKey#take[1 args] has @IdempotencyKeyHeader and the type java.lang.Long.",
        "TwoKeys#take[2 args] has 2 parameters with @IdempotencyKeyHeader",
        "AsyncToResume.pay(String) has resume = true and is @Async",
        "Handlers.returnsSomething returns something",
        "Handlers.takesNothing has parameters that a message cannot give",
        "both handle the topic 'orders' as the consumer 'orders'"
    };

    private final TestDatabase database;

    AllMistakesReportTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void mistakesOfParametersResumedMethodsAndHandlersAreInOneReport() {
        assertThat(reportOf(PARTS, "idempotency.outbox.sender=in-process").description())
                .contains("There are 6 mistakes:")
                .contains(PROBLEMS);
    }

    @Test
    void theyStandBesideThoseOfTheFirstMethodThatIsRefused() {
        assertThat(reportOf(with(Misspelt.class), "idempotency.outbox.sender=in-process")
                        .description())
                .contains("There are 7 mistakes:", Misspelt.class.getName() + ".pay(String) is '#kye'")
                .contains(PROBLEMS);
    }

    @Test
    void aPartThatNeedsTheRefusedBeanIsLeftOut() {
        assertThat(reportOf(with(Misspelt.class, NeedsTheRefusedBean.class), "idempotency.outbox.sender=in-process")
                        .description())
                .contains("There are 5 mistakes:", Misspelt.class.getName() + ".pay(String) is '#kye'")
                .contains(PROBLEMS[2], PROBLEMS[3], PROBLEMS[4], PROBLEMS[5])
                .doesNotContain("IdempotencyKeyHeader");
    }

    @Test
    void noMistakeIsReportedTwiceIfAPartNeedsAnotherRefusedBean() {
        assertThat(reportOf(
                                with(Misspelt.class, AlsoMisspelt.class, NeedsAnotherRefusedBean.class),
                                "idempotency.outbox.sender=in-process")
                        .description())
                .contains("There are 6 mistakes:", AlsoMisspelt.class.getName() + ".pay(String) is '#kye'")
                .contains(PROBLEMS[2], PROBLEMS[3], PROBLEMS[4], PROBLEMS[5])
                .doesNotContain("IdempotencyKeyHeader");
    }

    @Test
    void parametersAreCheckedIfTheLibraryIsSwitchedOff() {
        assertThat(reportOf(List.of(NumberAsKey.class), "idempotency.enabled=false")
                        .description())
                .contains(PROBLEMS[0]);
    }

    private static List<Class<?>> with(Class<?>... further) {
        return Stream.concat(Stream.of(further), PARTS.stream()).toList();
    }

    private StartupReport reportOf(List<Class<?>> beans, String property) {
        return StartupReport.of(() -> HttpApplication.start(
                database,
                beans,
                property,
                "logging.level.org.springframework.boot=OFF",
                "logging.level.org.springframework.context=ERROR"));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class WithOutbox {}

    @RestController
    static class NumberAsKey {

        @PostMapping("/number")
        void take(@IdempotencyKeyHeader Long key) {}
    }

    @RestController
    static class TwoKeys {

        @PostMapping("/two")
        void take(@IdempotencyKeyHeader String key, @IdempotencyKeyHeader String again) {}
    }

    static class AsyncToResume {

        @Async
        @Idempotent(scope = "to-resume", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public void pay(String key) {}
    }

    static class Handlers {

        @OutboxHandler(topic = "orders")
        public void handle(String order) {}

        @OutboxHandler(topic = "returning")
        public String returnsSomething(String order) {
            return order;
        }

        @OutboxHandler(topic = "nothing")
        public void takesNothing() {}
    }

    static class SameConsumer {

        @OutboxHandler(topic = "orders")
        public void handle(String order) {}
    }

    static class Misspelt {

        @Idempotent(scope = "misspelt", key = "#kye")
        public String pay(String key) {
            return key;
        }
    }

    static class AlsoMisspelt {

        @Idempotent(scope = "also-misspelt", key = "#kye")
        public String pay(String key) {
            return key;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NeedsAnotherRefusedBean {

        @Bean
        WebMvcConfigurer configurer(AlsoMisspelt misspelt) {
            return new WebMvcConfigurer() {};
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NeedsTheRefusedBean {

        @Bean
        WebMvcConfigurer configurer(Misspelt misspelt) {
            return new WebMvcConfigurer() {};
        }
    }
}
