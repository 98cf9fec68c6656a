package io.idempotency.internal.interceptor;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.ProxyTransactionManagementConfiguration;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.StringUtils;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.operation.IdempotentOperation;

/**
 * A check that the claim can be part of the transaction that a method declares. If its manager does not show this, it
 * is verified with each call.
 */
final class TransactionManagerVerifier {

    /** Other propagations may run without a transaction. */
    private static final Set<Integer> WITH_TRANSACTION = Set.of(
            TransactionDefinition.PROPAGATION_REQUIRED,
            TransactionDefinition.PROPAGATION_REQUIRES_NEW,
            TransactionDefinition.PROPAGATION_NESTED,
            TransactionDefinition.PROPAGATION_MANDATORY);

    private final Predicate<TransactionManager> isElsewhere;

    TransactionManagerVerifier(Predicate<TransactionManager> isElsewhere) {
        this.isElsewhere = isElsewhere;
    }

    void verify(
            IdempotentOperation operation,
            Class<?> targetClass,
            TransactionAttribute transaction,
            TransactionInterceptor interceptor,
            ListableBeanFactory beanFactory) {
        if (!WITH_TRANSACTION.contains(transaction.getPropagationBehavior())) {
            return;
        }
        TransactionManager manager;
        try {
            manager = find(transaction, targetClass, interceptor, beanFactory);
        } catch (NoSuchBeanDefinitionException notFound) {
            throw refusal(operation, String.valueOf(notFound.getMessage()).replaceFirst("[.!]+$", ""), beanFactory);
        }
        if (manager == null) {
            return;
        }
        if (!(manager instanceof PlatformTransactionManager)) {
            throw refusal(operation, nameOf(manager, beanFactory) + " is a reactive one", beanFactory);
        }
        if (isElsewhere.test(manager)) {
            throw refusal(
                    operation,
                    nameOf(manager, beanFactory) + " is not for the DataSource of the idempotency tables, so claim and"
                            + " effect would not commit together",
                    beanFactory);
        }
    }

    /**
     * Finds the manager as Spring does for each call; null if it was configured in another way, which is not visible
     * here.
     */
    private static @Nullable TransactionManager find(
            TransactionAttribute transaction,
            Class<?> targetClass,
            TransactionInterceptor interceptor,
            ListableBeanFactory beanFactory) {
        String qualifier = transaction.getQualifier();
        if (StringUtils.hasText(qualifier)) {
            return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, TransactionManager.class, qualifier);
        }
        String classQualifier = BeanFactoryAnnotationUtils.getQualifierValue(targetClass);
        if (StringUtils.hasText(classQualifier)) {
            try {
                return BeanFactoryAnnotationUtils.qualifiedBeanOfType(
                        beanFactory, TransactionManager.class, classQualifier);
            } catch (NoSuchBeanDefinitionException noManager) {
                // Continue, as Spring does.
            }
        }
        TransactionManager configured = interceptor.getTransactionManager();
        if (configured != null) {
            return configured;
        }
        boolean isConfiguredByXml =
                beanFactory.getBeanNamesForType(ProxyTransactionManagementConfiguration.class, false, false).length
                        == 0;
        return isConfiguredByXml
                ? beanFactory.getBeanProvider(TransactionManager.class).getIfUnique()
                : beanFactory.getBean(TransactionManager.class);
    }

    private InvalidIdempotentMethodException refusal(
            IdempotentOperation operation, String problem, ListableBeanFactory beanFactory) {
        String candidates = String.join(
                " or ",
                managers(beanFactory).entrySet().stream()
                        .filter(entry -> entry.getValue() instanceof PlatformTransactionManager
                                && !isElsewhere.test(entry.getValue()))
                        .map(entry -> "@Transactional(\"" + entry.getKey() + "\")")
                        .toList());
        return new InvalidIdempotentMethodException(
                "The transaction manager of the idempotent method " + operation.describe() + " cannot be used: "
                        + problem + ".",
                (candidates.isEmpty()
                                ? "Define a transaction manager for the DataSource of the idempotency tables"
                                : "Name the bean of the right transaction manager: " + candidates)
                        + ", or the right DataSource with idempotency.data-source.");
    }

    private static String nameOf(TransactionManager manager, ListableBeanFactory beanFactory) {
        return managers(beanFactory).entrySet().stream()
                .filter(entry -> entry.getValue() == manager)
                .map(entry -> "'" + entry.getKey() + "'")
                .findFirst()
                .orElseGet(() -> manager.getClass().getName());
    }

    private static Map<String, TransactionManager> managers(ListableBeanFactory beanFactory) {
        return beanFactory.getBeansOfType(TransactionManager.class, false, false);
    }
}
