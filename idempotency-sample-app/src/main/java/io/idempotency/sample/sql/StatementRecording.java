package io.idempotency.sample.sql;

import javax.sql.DataSource;

import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts a proxy in front of the DataSource, which everything uses that the application and its libraries run. */
@Configuration(proxyBeanMethods = false)
class StatementRecording {

    @Bean
    static BeanPostProcessor statementRecordingPostProcessor(ObjectProvider<StatementListener> listeners) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                if (bean instanceof DataSource dataSource) {
                    OpenTransactions transactions = new OpenTransactions();
                    return ProxyDataSourceBuilder.create(beanName, dataSource)
                            .listener(new StatementRecorder(transactions, listeners))
                            .methodListener(new TransactionRecorder(transactions, listeners))
                            .build();
                }
                return bean;
            }
        };
    }
}
