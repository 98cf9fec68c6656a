package io.idempotency.boot;

import java.util.Map;
import javax.sql.DataSource;

import jakarta.jms.ConnectionFactory;
import jakarta.persistence.EntityManagerFactory;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.transaction.RabbitTransactionManager;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jms.connection.JmsTransactionManager;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/** Which transaction managers are certainly not on the database of the tables. */
class IdempotencyTransactionManagerTest {

    private static final DataSource TABLES = new PGSimpleDataSource();

    static TransactionManager[] elsewhere() {
        DefaultKafkaProducerFactory<String, String> producers =
                new DefaultKafkaProducerFactory<>(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1"));
        producers.setTransactionIdPrefix("test-");
        return new TransactionManager[] {
            new JdbcTransactionManager(new PGSimpleDataSource()),
            new KafkaTransactionManager<>(producers),
            new JmsTransactionManager(Mockito.mock(ConnectionFactory.class)),
            new RabbitTransactionManager(new CachingConnectionFactory()),
            new JtaTransactionManager(),
            jpa(new PGSimpleDataSource())
        };
    }

    static TransactionManager[] notElsewhere() {
        return new TransactionManager[] {
            new JdbcTransactionManager(TABLES), jpa(TABLES), Mockito.mock(PlatformTransactionManager.class)
        };
    }

    private static TransactionManager jpa(DataSource dataSource) {
        JpaTransactionManager manager = new JpaTransactionManager(Mockito.mock(EntityManagerFactory.class));
        manager.setDataSource(dataSource);
        return manager;
    }

    @ParameterizedTest
    @MethodSource("elsewhere")
    void managersOfOtherDatabasesAndResourcesAreElsewhere(TransactionManager manager) {
        assertThat(IdempotencyTransactionManager.isElsewhere(manager, TABLES)).isTrue();
    }

    /** What cannot be told before is found out by the call. */
    @ParameterizedTest
    @MethodSource("notElsewhere")
    void managersOfTheDatabaseAndUnknownOnesAreNot(TransactionManager manager) {
        assertThat(IdempotencyTransactionManager.isElsewhere(manager, TABLES)).isFalse();
    }

    @Test
    void anObjectRelationalManagerMayBindTheConnectionOfItsSession() {
        TransactionManager withoutDataSource = new JpaTransactionManager(Mockito.mock(EntityManagerFactory.class));
        TransactionManager proxy = (TransactionManager) new ProxyFactory(withoutDataSource).getProxy();

        assertThat(IdempotencyTransactionManager.isElsewhere(withoutDataSource, TABLES))
                .isFalse();
        assertThat(proxy).isNotInstanceOf(JpaTransactionManager.class);
        assertThat(IdempotencyTransactionManager.isElsewhere(proxy, TABLES)).isFalse();
    }
}
