package io.idempotency.benchmarks;

import java.util.List;
import javax.sql.DataSource;

import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Apache Camel's repository of message ids in JDBC, in the transaction of the effect. */
final class CamelContender extends CallContender {

    private final Payments payments;

    CamelContender(ContenderSetup setup) {
        super("camel-sql", setup, List.of(Payments.class, Configured.class));
        payments = application.getBean(Payments.class);
    }

    @Override
    void prepare(JdbcTemplate jdbc) {
        // As it creates it itself, with the primary key that its documentation asks for.
        jdbc.execute("create table camel_messageprocessed (processorname varchar(255), messageid varchar(100),"
                + " createdat timestamp, primary key (processorname, messageid))");
    }

    @Override
    List<String> tables() {
        return List.of("camel_messageprocessed");
    }

    @Override
    @Nullable Receipt pay(String key, Payment payment) {
        payments.pay(key, payment);
        return null;
    }

    @Override
    boolean replays() {
        return false;
    }

    @Override
    String note() {
        return "atomic, no response, no fingerprint";
    }

    static class Payments {

        private final JdbcMessageIdRepository repository;

        private final CallEffect effect;

        Payments(JdbcMessageIdRepository repository, CallEffect effect) {
            this.repository = repository;
            this.effect = effect;
        }

        @Transactional
        public void pay(String key, Payment payment) {
            if (repository.add(key)) {
                effect.pay(payment);
            }
        }
    }

    static class Configured {

        @Bean
        JdbcMessageIdRepository messageIds(DataSource dataSource, TransactionTemplate transactions) {
            return new JdbcMessageIdRepository(dataSource, transactions, "payments");
        }
    }
}
