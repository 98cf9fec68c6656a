package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/** Who manages the transactions of an application. */
enum TransactionKind {
    DATA_SOURCE(DataSourceTransactionManager.class),
    JDBC(JdbcTransactionManager.class),
    JPA(JpaTransactionManager.class);

    private final Class<? extends PlatformTransactionManager> type;

    TransactionKind(Class<? extends PlatformTransactionManager> type) {
        this.type = type;
    }

    private List<String> properties() {
        return switch (this) {
            case DATA_SOURCE ->
                List.of(
                        "spring.persistence.exceptiontranslation.enabled=false",
                        "spring.dao.exceptiontranslation.enabled=false");
            case JDBC, JPA -> List.of();
        };
    }

    /** Starts an application of each of these kinds. */
    static Map<TransactionKind, ContractApplication> startEach(
            List<TransactionKind> kinds, ContractApplications applications, Class<?> bean, String... properties) {
        Map<TransactionKind, ContractApplication> started = new EnumMap<>(TransactionKind.class);
        kinds.forEach(kind -> started.put(kind, kind.start(applications, List.of(bean), properties)));
        return started;
    }

    ContractApplication start(ContractApplications applications, List<Class<?>> ownBeans, String... settings) {
        List<Class<?>> beans = new ArrayList<>(ownBeans);
        if (this == JPA) {
            beans.add(WithJpa.class);
        }
        List<String> all = new ArrayList<>(properties());
        all.addAll(List.of(settings));
        ContractApplication application = applications.withQuietFailures().start(beans, all.toArray(String[]::new));
        assertThat(application.bean(PlatformTransactionManager.class)).isExactlyInstanceOf(type);
        return application;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {}
}
