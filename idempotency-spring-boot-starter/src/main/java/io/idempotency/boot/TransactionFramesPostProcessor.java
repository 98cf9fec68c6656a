package io.idempotency.boot;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

import io.idempotency.internal.transaction.TransactionTracker;

/** Lets every transaction manager of the application tell when it commits. */
final class TransactionFramesPostProcessor implements BeanPostProcessor {

    private final TransactionTracker frames = new TransactionTracker();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(frames);
        }
        return bean;
    }
}
