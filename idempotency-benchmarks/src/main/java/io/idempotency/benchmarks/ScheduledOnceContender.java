package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.List;

import com.gruelbox.transactionoutbox.AlreadyScheduledException;
import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.SpringInstantiator;
import com.gruelbox.transactionoutbox.SpringTransactionManager;
import com.gruelbox.transactionoutbox.SpringTransactionOutboxConfiguration;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/**
 * transaction-outbox with a unique request id: the call is recorded, and made by the same thread after the commit, in a
 * second transaction that marks it as done.
 */
final class ScheduledOnceContender extends CallContender {

    private final Payments payments;

    ScheduledOnceContender(ContenderSetup setup) {
        super("transactionoutbox-spring", setup, List.of(Configured.class));
        payments = application.getBean(Payments.class);
    }

    @Override
    List<String> tables() {
        return List.of("txno_outbox");
    }

    @Override
    @Nullable Receipt pay(String key, Payment payment) {
        try {
            payments.pay(key, payment);
        } catch (AlreadyScheduledException known) {
            // It was made, or will be.
        }
        return null;
    }

    @Override
    boolean replays() {
        return false;
    }

    @Override
    String note() {
        return "recorded first, then atomic; no response, no fingerprint";
    }

    static class Payments {

        private final TransactionOutbox outbox;

        Payments(TransactionOutbox outbox) {
            this.outbox = outbox;
        }

        @Transactional
        public void pay(String key, Payment payment) {
            outbox.with()
                    .uniqueRequestId(key)
                    .schedule(Handler.class)
                    .handle(payment.number(), payment.account(), payment.text());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(SpringTransactionOutboxConfiguration.class)
    static class Configured {

        @Bean
        TransactionOutbox transactionOutbox(SpringTransactionManager transactions, SpringInstantiator instantiator) {
            return TransactionOutbox.builder()
                    .transactionManager(transactions)
                    .instantiator(instantiator)
                    .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                    .attemptFrequency(Duration.ofMinutes(2))
                    .submitter(Submitter.withExecutor(Runnable::run))
                    .build();
        }

        @Bean
        Payments payments(TransactionOutbox outbox) {
            return new Payments(outbox);
        }

        @Bean
        Handler handler(CallEffect effect) {
            return (number, account, text) -> effect.pay(new Payment(number, account, text));
        }
    }

    /** Makes the effect. */
    interface Handler {

        void handle(int number, int account, String text);
    }
}
