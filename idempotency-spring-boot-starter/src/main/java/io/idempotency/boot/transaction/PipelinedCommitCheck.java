package io.idempotency.boot.transaction;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.TransactionManager;
import org.springframework.util.ClassUtils;

import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.internal.transaction.PipelinedTransactionManager;
import io.idempotency.internal.transaction.SameDataSource;

/** The check that warns if {@code idempotency.pipelined-commit} is set but has no effect. */
final class PipelinedCommitCheck implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(PipelinedCommitCheck.class);

    private final ListableBeanFactory beanFactory;

    private final ObjectProvider<IdempotencyDataSource> dataSource;

    PipelinedCommitCheck(ListableBeanFactory beanFactory, ObjectProvider<IdempotencyDataSource> dataSource) {
        this.beanFactory = beanFactory;
        this.dataSource = dataSource;
    }

    @Override
    public void afterSingletonsInstantiated() {
        dataSource.ifAvailable(tables -> {
            String reason = reasonAgainst(tables.dataSource());
            if (reason != null) {
                logger.warn("idempotency.pipelined-commit=true has no effect: {}. Calls work without it", reason);
            }
        });
    }

    private @Nullable String reasonAgainst(DataSource tables) {
        List<DataSource> managed = beanFactory.getBeanProvider(PipelinedTransactionManager.class).stream()
                .map(PipelinedTransactionManager::getDataSource)
                .filter(Objects::nonNull)
                .toList();
        if (managed.isEmpty()) {
            String[] others = beanFactory.getBeanNamesForType(TransactionManager.class);
            return others.length == 0
                    ? "there is no transaction manager, because none of the DataSources is the only or the primary one"
                    : "transactions are those of " + describe(others)
                            + ", and not of Spring Boot's transaction manager for plain JDBC";
        }
        return managed.stream().anyMatch(each -> SameDataSource.test(each, tables))
                ? null
                : "idempotency.data-source names another DataSource than that of the transaction manager";
    }

    private String describe(String[] managers) {
        return Arrays.stream(managers).map(this::describe).collect(Collectors.joining(" and "));
    }

    private String describe(String manager) {
        Class<?> type = beanFactory.getType(manager);
        return "the " + (type == null ? "bean" : ClassUtils.getUserClass(type).getSimpleName()) + " '" + manager + "'";
    }
}
