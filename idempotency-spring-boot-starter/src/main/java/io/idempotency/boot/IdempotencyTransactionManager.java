package io.idempotency.boot;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ClassUtils;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.SameDataSource;

/** The search for the transaction manager of idempotent methods that declare no transaction. */
final class IdempotencyTransactionManager {

    private static final boolean JPA_IS_PRESENT = ClassUtils.isPresent(
            "org.springframework.orm.jpa.JpaTransactionManager", IdempotencyTransactionManager.class.getClassLoader());

    /** Never binds a JDBC connection to the thread. */
    private static final String JTA = "org.springframework.transaction.jta.JtaTransactionManager";

    /** The managers in these packages bind the JDBC connection of their session, too. */
    private static final String OBJECT_RELATIONAL = "org.springframework.orm.";

    /** Packages of Spring's managers that manage databases or delegate to other managers. */
    private static final List<String> MAY_MANAGE_DATABASES = List.of(
            OBJECT_RELATIONAL,
            "org.springframework.jdbc.",
            "org.springframework.transaction.",
            "org.springframework.data.");

    private IdempotencyTransactionManager() {}

    /** Returns whether the manager certainly does not manage this database; if unsure, the call checks it. */
    static boolean isElsewhere(TransactionManager transactionManager, DataSource dataSource) {
        if (isOrExtends(transactionManager, name -> name.equals(JTA))) {
            return true;
        }
        DataSource managed =
                transactionManager instanceof PlatformTransactionManager manager ? dataSourceOf(manager) : null;
        return managed == null
                ? managesAnotherResource(transactionManager)
                : !SameDataSource.isSame(managed, dataSource);
    }

    /** Returns whether the manager manages another resource, such as a message broker. */
    private static boolean managesAnotherResource(TransactionManager transactionManager) {
        boolean managesResource = transactionManager instanceof ResourceTransactionManager
                || isOrExtends(
                        transactionManager,
                        name -> name.startsWith("org.springframework.")
                                && MAY_MANAGE_DATABASES.stream().noneMatch(name::startsWith));
        return managesResource && !isOrExtends(transactionManager, name -> name.startsWith(OBJECT_RELATIONAL));
    }

    private static boolean isOrExtends(TransactionManager transactionManager, Predicate<String> className) {
        for (Class<?> type = AopUtils.getTargetClass(transactionManager); type != null; type = type.getSuperclass()) {
            if (className.test(type.getName())) {
                return true;
            }
        }
        return false;
    }

    /** Returns the primary manager if it is for this DataSource, else the first one that is, else a new one. */
    static PlatformTransactionManager find(
            ObjectProvider<PlatformTransactionManager> transactionManagers, DataSource dataSource) {
        transactionManagers.forEach(IdempotencyTransactionManager::requireDataSourceOfJpa);
        return Optional.ofNullable(transactionManagers.getIfUnique())
                .filter(primary -> isFor(primary, dataSource))
                .or(() -> transactionManagers
                        .orderedStream()
                        .filter(candidate -> isFor(candidate, dataSource))
                        .findFirst())
                .orElseGet(() -> create(dataSource));
    }

    /** Registers the tracker, because the manager is no bean and no post-processor does so. */
    private static PlatformTransactionManager create(DataSource dataSource) {
        JdbcTransactionManager created = new JdbcTransactionManager(dataSource);
        ActiveTransaction.track(created);
        return created;
    }

    private static boolean isFor(PlatformTransactionManager transactionManager, DataSource dataSource) {
        DataSource managed = dataSourceOf(transactionManager);
        return managed != null && SameDataSource.isSame(managed, dataSource);
    }

    private static @Nullable DataSource dataSourceOf(PlatformTransactionManager transactionManager) {
        if (JPA_IS_PRESENT && Jpa.manages(transactionManager)) {
            return Jpa.dataSourceOf(transactionManager);
        }
        return transactionManager instanceof ResourceTransactionManager manager
                        && manager.getResourceFactory() instanceof DataSource dataSource
                ? dataSource
                : null;
    }

    private static void requireDataSourceOfJpa(PlatformTransactionManager transactionManager) {
        if (JPA_IS_PRESENT && Jpa.manages(transactionManager) && Jpa.dataSourceOf(transactionManager) == null) {
            throw new IdempotencyStartupException(
                    "A JpaTransactionManager does not know its DataSource, so keys cannot be claimed in its transactions.",
                    "Call setDataSource on it, or give its EntityManagerFactory a DataSource instead of a JDBC URL.");
        }
    }

    /** Loaded only where JPA is on the class path. */
    private static final class Jpa {

        static boolean manages(PlatformTransactionManager transactionManager) {
            return transactionManager instanceof JpaTransactionManager;
        }

        static @Nullable DataSource dataSourceOf(PlatformTransactionManager transactionManager) {
            return ((JpaTransactionManager) transactionManager).getDataSource();
        }
    }
}
