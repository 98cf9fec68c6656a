package io.idempotency.execution;

import java.util.ArrayList;
import java.util.List;

/** The savepoints that were set after something was done: a rollback to any other one undoes it. */
final class LaterSavepoints {

    private final List<Object> savepoints = new ArrayList<>(0);

    void add(Object savepoint) {
        savepoints.add(savepoint);
    }

    boolean contain(Object savepoint) {
        return savepoints.contains(savepoint);
    }
}
