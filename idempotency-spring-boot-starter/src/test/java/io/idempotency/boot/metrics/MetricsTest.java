package io.idempotency.boot.metrics;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.inbox.Inbox;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageReceived;
import io.idempotency.observation.RowsPurged;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** What the meters show of the calls, in an application with a listener that always fails. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsTest {

    private final TestDatabase database;

    private ConfigurableApplicationContext application;

    private MeterRegistry registry;

    private Notebook notebook;

    MetricsTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void start() {
        Notebook.createTable(database.jdbc());
        application = JdbcTestApplication.start(
                database, new Class<?>[] {Notebook.class, Measured.class}, "idempotency.purge.interval=50ms");
        registry = application.getBean(MeterRegistry.class);
        notebook = application.getBean(Notebook.class);
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @AfterEach
    void forgetEverything() {
        database.jdbc().execute("truncate note, idempotency.idempotency_request, idempotency.processed_message");
        registry.clear();
    }

    @Test
    void callsAreTimedByScopeAndOutcome() {
        notebook.write("key", "text");
        notebook.write("key", "text");
        notebook.write("key", "text");
        assertThatThrownBy(() -> notebook.write("key", "another text")).isInstanceOf(KeyReusedException.class);
        assertThatThrownBy(() -> notebook.write("", "text")).isInstanceOf(InvalidIdempotencyKeyException.class);
        assertThatThrownBy(() -> notebook.write(null, "text")).isInstanceOf(MissingIdempotencyKeyException.class);
        assertThatThrownBy(() -> notebook.writeAndFail("key", "text")).hasMessage("after the effect");

        assertThat(calls("notes", "executed")).isOne();
        assertThat(calls("notes", "replayed")).isEqualTo(2);
        assertThat(calls("notes", "key_reused")).isOne();
        assertThat(calls("notes", "invalid_key")).isEqualTo(2);
        assertThat(calls("failing-notes", "failed")).isOne();
        assertThat(registry.find("idempotency.calls").timers()).hasSize(5);
    }

    @Test
    void messagesAreTimedByConsumerAndOutcome() {
        Inbox inbox = application.getBean(Inbox.class);
        inbox.handleOnce("invoices", "of-a-customer", () -> {});
        inbox.handleOnce("invoices", "of-a-customer", () -> {});
        inbox.handleOnce("invoices", "of-a-customer", () -> {});
        assertThatThrownBy(() -> inbox.handleOnce("invoices", "", () -> {}))
                .isInstanceOf(InvalidIdempotencyKeyException.class);

        assertThat(messages("handled")).isOne();
        assertThat(messages("duplicate")).isEqualTo(2);
        assertThat(messages("invalid_id")).isOne();
        assertThat(registry.getMeters())
                .hasSize(3)
                .allSatisfy(meter -> assertThat(meter.getId().getTags())
                        .extracting(Tag::getKey)
                        .containsExactlyInAnyOrder("consumer", "outcome"));
    }

    @Test
    void timeIsThatOfTheCallAndNotNothing() {
        notebook.write("key", "text");

        assertThat(registry.get("idempotency.calls").timer().totalTime(TimeUnit.MICROSECONDS))
                .isPositive();
    }

    @Test
    void noTagNamesAKey() {
        notebook.write("key-of-a-customer", "text");
        assertThatThrownBy(() -> notebook.write("key-of-a-customer", "another text"))
                .isInstanceOf(KeyReusedException.class);

        assertThat(registry.getMeters())
                .extracting(Meter::getId)
                .isNotEmpty()
                .allSatisfy(id -> assertThat(id.getTags())
                        .allMatch(tag -> List.of("scope", "outcome").contains(tag.getKey()))
                        .noneMatch(tag -> tag.getValue().contains("customer")));
    }

    @Test
    void purgedRowsAreCountedByTable() {
        notebook.write("first", "text");
        notebook.write("second", "text");
        database.jdbc().execute("update idempotency.idempotency_request set expires_at = now() - interval '1 s'");

        await().ignoreException(MeterNotFoundException.class)
                .untilAsserted(() -> assertThat(registry.get("idempotency.purged")
                                .tag("table", "idempotency_request")
                                .counter()
                                .count())
                        .isEqualTo(2));
    }

    @Test
    void failingListenerHarmsNeitherTheCallNorTheListenersBehindIt() {
        Note first = notebook.write("key", "text");

        assertThat(notebook.write("key", "text")).isEqualTo(first);
        assertThat(Notebook.count(database.jdbc())).isOne();
        assertThat(calls("notes", "executed")).isOne();
    }

    private long messages(String outcome) {
        return registry.get("idempotency.inbox.messages")
                .tag("consumer", "invoices")
                .tag("outcome", outcome)
                .timer()
                .count();
    }

    private long calls(String scope, String outcome) {
        return registry.get("idempotency.calls")
                .tag("scope", scope)
                .tag("outcome", outcome)
                .timer()
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    static class Measured {

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        @Order(1)
        IdempotencyListener failsAlways() {
            return new IdempotencyListener() {
                @Override
                public void callCompleted(CallCompleted event) {
                    throw new IllegalStateException("A listener that fails");
                }

                @Override
                public void messageReceived(MessageReceived event) {
                    throw new IllegalStateException("A listener that fails");
                }

                @Override
                public void rowsPurged(RowsPurged event) {
                    throw new IllegalStateException("A listener that fails");
                }
            };
        }
    }
}
