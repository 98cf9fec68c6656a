package io.idempotency.sample.sql;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import net.ttddyy.dsproxy.ExecutionInfo;
import net.ttddyy.dsproxy.QueryInfo;
import net.ttddyy.dsproxy.listener.QueryExecutionListener;
import org.springframework.beans.factory.ObjectProvider;

/** Passes on what the proxy of the DataSource sees. */
class StatementRecorder implements QueryExecutionListener {

    private static final String STARTED = "started";

    private static final double NANOS_PER_MILLISECOND = 1_000_000.0;

    private static final Pattern SPACE = Pattern.compile("\\s+");

    private final OpenTransactions transactions;

    private final ObjectProvider<StatementListener> listeners;

    StatementRecorder(OpenTransactions transactions, ObjectProvider<StatementListener> listeners) {
        this.transactions = transactions;
        this.listeners = listeners;
    }

    /** The proxy itself measures in whole milliseconds, which most statements do not take. */
    @Override
    public void beforeQuery(ExecutionInfo execution, List<QueryInfo> queries) {
        execution.addCustomValue(STARTED, System.nanoTime());
    }

    @Override
    public void afterQuery(ExecutionInfo execution, List<QueryInfo> queries) {
        long nanos = System.nanoTime() - execution.getCustomValue(STARTED, Long.class);
        String text = queries.stream()
                .map(query -> SPACE.matcher(query.getQuery()).replaceAll(" ").strip())
                .collect(Collectors.joining("; "));
        RanStatement statement = new RanStatement(
                text,
                nanos / NANOS_PER_MILLISECOND,
                execution.isSuccess(),
                transactions.find(execution.getConnectionId()));
        listeners.forEach(listener -> listener.ran(statement));
    }
}
