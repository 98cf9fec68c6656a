package io.idempotency.boot;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

import io.idempotency.internal.transaction.ActiveTransaction;

/** The post-processor that registers a tracker with every transaction manager of the application. */
final class TransactionTrackerPostProcessor implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            ActiveTransaction.track(manager);
        }
        return bean;
    }
}
