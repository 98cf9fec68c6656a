package io.idempotency.boot;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

import io.idempotency.internal.transaction.TransactionTracker;

/** The post-processor that registers the tracker with every transaction manager of the application. */
final class TransactionTrackerPostProcessor implements BeanPostProcessor {

    private final TransactionTracker tracker = new TransactionTracker();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(tracker);
        }
        return bean;
    }
}
