package io.idempotency.boot.interleaving;

import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls of the shop in transactions that their caller has begun. */
class OuterTransactions {

    private final Shop shop;

    private final JdbcTemplate jdbc;

    private final TransactionTemplate outer;

    private final TransactionTemplate nested;

    OuterTransactions(Shop shop, JdbcTemplate jdbc, PlatformTransactionManager manager) {
        this.shop = shop;
        this.jdbc = jdbc;
        this.outer = new TransactionTemplate(manager);
        this.nested = new TransactionTemplate(
                manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED));
    }

    Object committed(Mode mode, String key) {
        return inOuter(key, status -> call(mode, key));
    }

    Object rolledBack(Mode mode, String key) {
        return inOuter(key, status -> {
            status.setRollbackOnly();
            return unlessUndone(mode, call(mode, key));
        });
    }

    /** Goes on without the call. */
    Object undone(Mode mode, String key) {
        return inOuter(key, status -> unlessUndone(mode, callAndUndo(mode, key)));
    }

    Object undoneAndRepeated(Mode mode, String key) {
        return inOuter(key, status -> {
            callAndUndo(mode, key);
            return call(mode, key);
        });
    }

    Object twoKeys(String key) {
        return outer.execute(status -> {
            Object first = call(Mode.TRANSACTIONAL, key);
            return List.of(first, call(Mode.TRANSACTIONAL, Shop.otherKey(key)));
        });
    }

    Object twoKeysInOppositeOrder(String key) {
        return outer.execute(status -> {
            Object second = call(Mode.TRANSACTIONAL, Shop.otherKey(key));
            return List.of(call(Mode.TRANSACTIONAL, key), second);
        });
    }

    private Object inOuter(String key, TransactionCallback<Object> work) {
        return outer.execute(status -> {
            Shop.insert(jdbc, key + "/outer", 5);
            return work.doInTransaction(status);
        });
    }

    private Object call(Mode mode, String key) {
        return mode.caller().calls().apply(shop, key);
    }

    private Object callAndUndo(Mode mode, String key) {
        return nested.execute(savepoint -> {
            savepoint.setRollbackOnly();
            return call(mode, key);
        });
    }

    private static Object unlessUndone(Mode mode, Object answer) {
        return mode == Mode.INDEPENDENT ? answer : Caller.NO_ANSWER;
    }
}
