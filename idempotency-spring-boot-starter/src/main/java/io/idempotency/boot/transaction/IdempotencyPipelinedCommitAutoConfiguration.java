package io.idempotency.boot.transaction;

import javax.sql.DataSource;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizers;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.transaction.TransactionManager;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.internal.transaction.PipelinedTransactionManager;

/**
 * The auto-configuration of the transaction manager that replaces Spring Boot's for plain JDBC, under the same
 * conditions and name, if {@code idempotency.pipelined-commit} is set.
 */
@AutoConfiguration(
        before = {
            DataSourceTransactionManagerAutoConfiguration.class,
            TransactionAutoConfiguration.class,
            IdempotencyAutoConfiguration.class
        },
        after = {DataSourceAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class},
        afterName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "idempotency.pipelined-commit")
public final class IdempotencyPipelinedCommitAutoConfiguration {

    @Bean
    PipelinedCommitCheck idempotencyPipelinedCommitCheck(
            ListableBeanFactory beanFactory, ObjectProvider<IdempotencyDataSource> dataSource) {
        return new PipelinedCommitCheck(beanFactory, dataSource);
    }

    /** A class of its own, because the check is made even if these conditions do not match. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(DataSource.class)
    static class Manager {

        @Bean
        @ConditionalOnMissingBean(TransactionManager.class)
        PipelinedTransactionManager transactionManager(
                Environment environment,
                DataSource dataSource,
                ObjectProvider<TransactionManagerCustomizers> transactionManagerCustomizers) {
            PipelinedTransactionManager transactionManager = new PipelinedTransactionManager(
                    dataSource,
                    environment.getProperty("spring.dao.exceptiontranslation.enabled", Boolean.class, Boolean.TRUE));
            transactionManagerCustomizers.ifAvailable(customizers -> customizers.customize(transactionManager));
            return transactionManager;
        }
    }
}
