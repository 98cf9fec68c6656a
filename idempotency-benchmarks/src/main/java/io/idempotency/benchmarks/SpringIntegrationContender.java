package io.idempotency.benchmarks;

import java.util.List;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Spring Integration's metadata store, as its idempotent receiver uses it, in the transaction of the effect. */
final class SpringIntegrationContender extends CallContender {

    private final Payments payments;

    SpringIntegrationContender(ContenderSetup setup) {
        super("spring-integration-jdbc", setup, List.of(Payments.class, Configured.class));
        payments = application.getBean(Payments.class);
    }

    @Override
    void prepare(JdbcTemplate jdbc) {
        // As in its own schema-postgresql.sql.
        jdbc.execute(
                "create table int_metadata_store (metadata_key varchar(255) not null, metadata_value varchar(4000),"
                        + " region varchar(100) not null, constraint int_metadata_store_pk primary key (metadata_key, region))");
    }

    @Override
    List<String> tables() {
        return List.of("int_metadata_store");
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

        private final JdbcMetadataStore store;

        private final CallEffect effect;

        Payments(JdbcMetadataStore store, CallEffect effect) {
            this.store = store;
            this.effect = effect;
        }

        @Transactional
        public void pay(String key, Payment payment) {
            if (store.putIfAbsent(key, "handled") == null) {
                effect.pay(payment);
            }
        }
    }

    static class Configured {

        @Bean
        JdbcMetadataStore metadataStore(DataSource dataSource) {
            return new JdbcMetadataStore(dataSource);
        }
    }
}
