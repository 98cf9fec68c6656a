package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.List;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;

/**
 * Spring Modulith's event publications in JDBC: recorded with the effect, delivered at least once, without order. It has no
 * relay: the JVM of the commit delivers from memory, and what is left over is submitted again on request.
 */
final class ModulithOutbox extends OutboxContender {

    private final ConfigurableApplicationContext application;

    private final PausableExecutor executor;

    private final PrototypeRow prototype;

    ModulithOutbox(String database, BenchmarkServer server) {
        super("Spring Modulith", database, server);
        application = BenchmarkApplication.start(
                dataSource,
                deliveries,
                List.of(Configured.class),
                "spring.modulith.events.jdbc.schema-initialization.enabled=true");
        executor = application.getBean(PausableExecutor.class);
        prototype = new PrototypeRow(admin, "event_publication", "serialized_event", this::pay);
    }

    @Override
    ConfigurableApplicationContext publisher() {
        return application;
    }

    @Override
    void publish(Payment payment) {
        application.publishEvent(payment);
    }

    @Override
    void start(int relays) {
        executor.start();
        application.getBean(IncompleteEventPublications.class).resubmitIncompletePublicationsOlderThan(Duration.ZERO);
    }

    @Override
    void stop() {
        executor.stop();
    }

    @Override
    void insertBacklog(int count) {
        prototype.insert(count, "");
    }

    @Override
    void insertDelivered(int count) {
        prototype.insert(count, ", 'completion_date', clock_timestamp(), 'status', 'COMPLETED'");
    }

    @Override
    String pending() {
        return "select 1 from event_publication where completion_date is null";
    }

    @Override
    String tables() {
        return "event_publication";
    }

    @Override
    public void close() {
        application.close();
    }

    /** Its auto-configurations are not public; they are named in a file named after this class. */
    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @ImportAutoConfiguration
    static class Configured {

        @Bean
        PausableExecutor deliveringThreads() {
            return new PausableExecutor();
        }

        @Bean
        AsyncConfigurer asyncConfigurer(PausableExecutor threads) {
            TaskExecutorAdapter adapter = new TaskExecutorAdapter(threads);
            return new AsyncConfigurer() {
                @Override
                public TaskExecutorAdapter getAsyncExecutor() {
                    return adapter;
                }
            };
        }

        @Bean
        Listener listener(Effect effect, Deliveries deliveries) {
            return new Listener(effect, deliveries);
        }
    }

    /** Inserts a row in its own transaction, at least once. */
    static class Listener {

        private final Effect effect;

        private final Deliveries deliveries;

        Listener(Effect effect, Deliveries deliveries) {
            this.effect = effect;
            this.deliveries = deliveries;
        }

        @ApplicationModuleListener
        void on(Payment payment) {
            deliveries.arrived(payment.number());
            effect.deliver(payment.number());
        }
    }
}
