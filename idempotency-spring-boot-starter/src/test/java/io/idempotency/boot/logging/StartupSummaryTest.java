package io.idempotency.boot.logging;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.boot.web.IdempotencyKeyHeader;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** One line at the start tells what is idempotent, so that an annotation that has no effect is seen. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class StartupSummaryTest {

    private static final String SHOWN = "logging.level.io.idempotency.startup=info";

    private final TestDatabase database;

    StartupSummaryTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void methodsEndpointsAndThePurgeAreTold(CapturedOutput output) {
        HttpApplication.start(database, List.of(Orders.class, Refunds.class), SHOWN)
                .close();

        assertThat(summaries(output))
                .singleElement()
                .asString()
                .contains("INFO")
                .endsWith(" - Idempotency: 3 idempotent methods, 1 endpoint with a key header, purge on");
    }

    @Test
    void whereNothingIsIdempotentNothingIsCounted(CapturedOutput output) {
        JdbcTestApplication.start(database, new Class<?>[0], SHOWN, "idempotency.purge.enabled=false")
                .close();

        assertThat(summaries(output))
                .singleElement()
                .asString()
                .endsWith("Idempotency: 0 idempotent methods, purge off");
    }

    @Test
    void methodsOfBeansThatAreLazyAreCounted(CapturedOutput output) {
        JdbcTestApplication.start(
                        database, new Class<?>[] {Refunds.class}, SHOWN, "spring.main.lazy-initialization=true")
                .close();

        assertThat(summaries(output))
                .singleElement()
                .asString()
                .endsWith("Idempotency so far, with spring.main.lazy-initialization: 2 idempotent methods, purge on");
    }

    @Test
    void anotherContextAndAnApplicationThatIsSwitchedOffTellNothing(CapturedOutput output) {
        try (var application = JdbcTestApplication.start(database, new Class<?>[] {Refunds.class}, SHOWN);
                var child = new AnnotationConfigApplicationContext()) {
            child.setParent(application);
            child.refresh();
        }
        assertThat(summaries(output)).hasSize(1);

        JdbcTestApplication.start(database, new Class<?>[] {Refunds.class}, SHOWN, "idempotency.enabled=false")
                .close();
        assertThat(summaries(output)).hasSize(1);
    }

    private static List<String> summaries(CapturedOutput output) {
        return output.getOut()
                .lines()
                .filter(line -> line.contains("Idempotency") && line.contains("idempotent method"))
                .toList();
    }

    @RestController
    static class Orders {

        @PostMapping("/orders")
        @Idempotent(scope = "summary-order", key = "#key")
        public String order(@IdempotencyKeyHeader String key) {
            return key;
        }

        @PostMapping("/drafts")
        public String draft() {
            return "draft";
        }
    }

    static class Refunds {

        @Idempotent(scope = "summary-refund", key = "#key")
        public void refund(String key) {}

        @Idempotent(scope = "summary-cancel", key = "#key")
        public void cancel(String key) {}
    }
}
