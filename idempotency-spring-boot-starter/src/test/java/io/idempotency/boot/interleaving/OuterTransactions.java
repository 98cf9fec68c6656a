package io.idempotency.boot.interleaving;

import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls of the shop in transactions that their caller has begun. */
class OuterTransactions {

    private final Shop shop;

    private final JdbcTemplate jdbc;

    private final PlatformTransactionManager manager;

    OuterTransactions(Shop shop, JdbcTemplate jdbc, PlatformTransactionManager manager) {
        this.shop = shop;
        this.jdbc = jdbc;
        this.manager = manager;
    }

    Object plain(String key) {
        return shop.transactional(key, 5);
    }

    Object committed(String key) {
        return outer().execute(status -> plain(key));
    }

    Object rolledBack(String key) {
        return outer().execute(status -> {
            plain(key);
            status.setRollbackOnly();
            return Caller.NO_ANSWER;
        });
    }

    /** Goes on without the call. */
    Object undone(String key) {
        return outer().execute(status -> {
            undoToSavepoint(key);
            workOfOuter(key);
            return Caller.NO_ANSWER;
        });
    }

    Object undoneAndRepeated(String key) {
        return outer().execute(status -> {
            undoToSavepoint(key);
            return plain(key);
        });
    }

    Object inNewTransactionOfCommitted(String key) {
        return outer().execute(status -> {
            workOfOuter(key);
            return template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).execute(inner -> plain(key));
        });
    }

    Object inNewTransactionOfRolledBack(String key) {
        return outer().execute(status -> {
            workOfOuter(key);
            status.setRollbackOnly();
            return template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).execute(inner -> plain(key));
        });
    }

    Object twoKeys(String key) {
        return outer().execute(status -> {
            Object first = plain(key);
            return List.of(first, plain(Shop.otherKey(key)));
        });
    }

    Object twoKeysInOppositeOrder(String key) {
        return outer().execute(status -> {
            Object first = plain(Shop.otherKey(key));
            return List.of(plain(key), first);
        });
    }

    private void undoToSavepoint(String key) {
        template(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(savepoint -> {
            plain(key);
            savepoint.setRollbackOnly();
        });
    }

    private void workOfOuter(String key) {
        Shop.insert(jdbc, key + "/outer", 5);
    }

    private TransactionTemplate outer() {
        return template(TransactionDefinition.PROPAGATION_REQUIRED);
    }

    private TransactionTemplate template(int propagation) {
        return new TransactionTemplate(manager, new DefaultTransactionDefinition(propagation));
    }
}
