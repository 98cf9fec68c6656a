package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.List;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.SpringInstantiator;
import com.gruelbox.transactionoutbox.SpringTransactionManager;
import com.gruelbox.transactionoutbox.SpringTransactionOutboxConfiguration;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * transaction-outbox: recorded with the effect, handled in the transaction that deletes the row, so that an effect in the
 * same database happens once; without order.
 */
final class TransactionOutboxContender extends OutboxContender {

    private final ConfigurableApplicationContext application;

    private final PausableExecutor executor;

    private final TransactionOutbox outbox;

    private final PrototypeRow prototype;

    TransactionOutboxContender(String database, BenchmarkServer server) {
        super("transaction-outbox", database, server);
        application = BenchmarkApplication.start(dataSource, deliveries, List.of(Configured.class));
        executor = application.getBean(PausableExecutor.class);
        outbox = application.getBean(TransactionOutbox.class);
        prototype = new PrototypeRow(admin, "txno_outbox", "invocation", this::pay);
    }

    @Override
    ConfigurableApplicationContext publisher() {
        return application;
    }

    @Override
    void publish(Payment payment) {
        outbox.schedule(Handler.class).handle(payment.number(), payment.account(), payment.text());
    }

    @Override
    void start(int relays) {
        executor.start();
        boolean more = true;
        while (more) {
            more = outbox.flush();
        }
    }

    @Override
    void stop() {
        executor.stop();
    }

    @Override
    void insertBacklog(int count) {
        prototype.insert(count, ", 'nextattempttime', localtimestamp - interval '1 day'");
    }

    @Override
    void insertDelivered(int count) {
        // It deletes them.
    }

    @Override
    String pending() {
        return "select 1 from txno_outbox where not processed";
    }

    @Override
    String tables() {
        return "txno_outbox";
    }

    @Override
    public void close() {
        application.close();
    }

    @Configuration(proxyBeanMethods = false)
    @Import(SpringTransactionOutboxConfiguration.class)
    static class Configured {

        @Bean
        PausableExecutor deliveringThreads() {
            return new PausableExecutor();
        }

        @Bean
        TransactionOutbox transactionOutbox(
                SpringTransactionManager transactions, SpringInstantiator instantiator, PausableExecutor threads) {
            return TransactionOutbox.builder()
                    .transactionManager(transactions)
                    .instantiator(instantiator)
                    .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                    .attemptFrequency(Duration.ofMinutes(2))
                    .submitter(Submitter.withExecutor(threads))
                    .build();
        }

        @Bean
        Handler handler(Effect effect, Deliveries deliveries) {
            return (number, account, text) -> {
                deliveries.arrived(number);
                effect.deliver(number);
            };
        }
    }

    /** Inserts a row. */
    interface Handler {

        void handle(int number, int account, String text);
    }
}
