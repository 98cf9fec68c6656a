package io.idempotency.boot.retention;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.util.StringUtils;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StorageSampled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The sizes of the tables are told again and again, by a thread that the application needs to know nothing of. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class SampleSchedulerTest extends NotebookTests {

    private static final String FAILED = "could not be sampled for metrics";

    @Test
    void listenersAreToldAgainAndAgain() {
        try (ConfigurableApplicationContext application = start("idempotency.purge.enabled=false")) {
            Samples samples = application.getBean(Samples.class);
            await().until(() -> samples.events.size() >= 2);

            application.getBean(Notebook.class).write("key", "text");
            admin.execute("analyze idempotency.idempotency_request");

            await().untilAsserted(() -> assertThat(samples.events)
                    .anySatisfy(event -> assertThat(event.tables()).anySatisfy(table -> {
                        assertThat(table.table()).isEqualTo("idempotency_request");
                        assertThat(table.rows()).isOne();
                    })));
            assertThat(application.getBeansOfType(TaskScheduler.class)).isEmpty();
        }
    }

    @Test
    void failuresInARowAreLoggedOnceAndEndByThemselves(CapturedOutput output) {
        try (ConfigurableApplicationContext application = start()) {
            Samples samples = application.getBean(Samples.class);
            for (int i = 1; i <= 2; i++) {
                int failures = i;
                admin.execute("alter table idempotency.idempotency_request rename to elsewhere");
                await().until(() -> StringUtils.countOccurrencesOf(output.getAll(), FAILED) == failures);
                samples.events.clear();
                await().during(Duration.ofMillis(300)).until(samples.events::isEmpty);
                admin.execute("alter table idempotency.elsewhere rename to idempotency_request");
                await().until(() -> !samples.events.isEmpty());
            }
        }
        assertThat(StringUtils.countOccurrencesOf(output.getAll(), FAILED)).isEqualTo(2);
    }

    @Test
    void threadEndsWithTheContext() {
        try (ConfigurableApplicationContext application = start()) {
            Samples samples = application.getBean(Samples.class);
            await().until(() -> !samples.events.isEmpty());
        }
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("idempotency-sample-")));
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {Notebook.class, Samples.class},
                JdbcTestApplication.and(properties, "idempotency.sample-interval=50ms"));
    }

    static class Samples implements IdempotencyListener {

        final Queue<StorageSampled> events = new ConcurrentLinkedQueue<>();

        @Override
        public void storageSampled(StorageSampled event) {
            events.add(event);
        }
    }
}
