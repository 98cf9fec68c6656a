package io.idempotency.sample.sql;

import java.sql.Connection;

import net.ttddyy.dsproxy.listener.MethodExecutionContext;
import net.ttddyy.dsproxy.listener.MethodExecutionListener;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Passes on where transactions end. Where they begin is seen but not passed on: the driver sends {@code BEGIN} together with
 * the first statement.
 */
class TransactionRecorder implements MethodExecutionListener {

    private static final String STARTED = "started";

    private static final double NANOS_PER_MILLISECOND = 1_000_000.0;

    private final OpenTransactions transactions;

    private final ObjectProvider<StatementListener> listeners;

    TransactionRecorder(OpenTransactions transactions, ObjectProvider<StatementListener> listeners) {
        this.transactions = transactions;
        this.listeners = listeners;
    }

    @Override
    public void beforeMethod(MethodExecutionContext method) {
        method.addCustomValue(STARTED, System.nanoTime());
    }

    @Override
    public void afterMethod(MethodExecutionContext method) {
        if (method.getTarget() instanceof Connection) {
            String connectionId = method.getConnectionInfo().getConnectionId();
            String end = end(method);
            if (end != null) {
                ended(end, connectionId, method);
            } else if (switchesAutoCommit(method, false)) {
                transactions.begin(connectionId);
            }
        }
    }

    private static @Nullable String end(MethodExecutionContext method) {
        return switch (method.getMethod().getName()) {
            case "commit" -> RanStatement.COMMIT;
            case "setAutoCommit" -> switchesAutoCommit(method, true) ? RanStatement.COMMIT : null;
            case "rollback" -> method.getMethod().getParameterCount() == 0 ? RanStatement.ROLLBACK : null;
            // The pool rolls back what it is given back open.
            case "close" -> RanStatement.ROLLBACK;
            default -> null;
        };
    }

    private static boolean switchesAutoCommit(MethodExecutionContext method, boolean to) {
        return method.getMethod().getName().equals("setAutoCommit")
                && Boolean.valueOf(to).equals(method.getMethodArgs()[0]);
    }

    private void ended(String end, String connectionId, MethodExecutionContext method) {
        Long transaction = transactions.end(connectionId);
        if (transaction != null) {
            long nanos = System.nanoTime() - method.getCustomValue(STARTED, Long.class);
            RanStatement ran =
                    new RanStatement(end, nanos / NANOS_PER_MILLISECOND, method.getThrown() == null, transaction);
            listeners.forEach(listener -> listener.ran(ran));
        }
    }
}
