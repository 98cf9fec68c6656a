package io.idempotency.proof;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Records the statements of one run of a scenario, and breaks one of them. */
final class StatementRecorder {

    /** Long enough for threads that are not kept waiting by a claim. */
    private static final long GATE_MILLIS = 200;

    /** Runs are compared, so no number is used twice. */
    private static final AtomicInteger TRANSACTIONS = new AtomicInteger();

    private static volatile @Nullable StatementRecorder active;

    private final @Nullable Strike strike;

    private final int callers;

    private final Backends backends;

    private final Map<Thread, Integer> callsByThread = new ConcurrentHashMap<>();

    private final List<RecordedStatement> statements = new ArrayList<>();

    private final Map<PgConnection, String> openTransactions = new ConcurrentHashMap<>();

    private final Map<Long, String> transactions = new ConcurrentHashMap<>();

    private final AtomicInteger calls = new AtomicInteger();

    private final CountDownLatch gate;

    private final Set<Thread> gatePassed = ConcurrentHashMap.newKeySet();

    private volatile boolean struck;

    private volatile boolean vanished;

    /**
     * Creates the recorder.
     *
     * @param strike the fault; {@code null} for none
     * @param callers number of threads that call the scenario at once; they wait for each other after their first statement
     * @param backends backends of the databases
     */
    StatementRecorder(@Nullable Strike strike, int callers, Backends backends) {
        this.strike = strike;
        this.callers = callers;
        this.backends = backends;
        this.gate = new CountDownLatch(callers);
    }

    /**
     * A fault at a statement.
     *
     * @param fault the fault
     * @param target the statement, of a run without a fault
     */
    record Strike(Fault fault, RecordedStatement target) {

        /** Other statements may come between, such as statements of other threads. */
        boolean isAt(RecordedStatement statement) {
            return target.kind() == statement.kind()
                    && target.summary().equals(statement.summary())
                    && target.occurrence() == statement.occurrence();
        }
    }

    /** Looks at backends, and terminates them, from a connection of its own. */
    interface Backends {

        void terminate(String url, int pid);

        /** Returns the id of the transaction that is open; {@code null} if it has written nothing. */
        @Nullable Long transaction(String url, int pid) throws SQLException;
    }

    /** A call of JDBC that reaches the server. */
    @FunctionalInterface
    interface JdbcCall {

        @Nullable Object run() throws Throwable;
    }

    void start() {
        active = this;
    }

    static void stop() {
        active = null;
    }

    /** Begins a call of the scenario on this thread, and in a process that has not vanished. */
    void callBegins() {
        vanished = false;
        callsByThread.put(Thread.currentThread(), calls.incrementAndGet());
    }

    /** Ends a call. Whatever the method returns, a process that vanished has not answered. */
    void callEnds() {
        if (vanished) {
            throw new ProcessVanishedError();
        }
    }

    boolean hasStruck() {
        return struck;
    }

    List<RecordedStatement> statements() {
        synchronized (statements) {
            return List.copyOf(statements);
        }
    }

    /** Returns the transactions of a run without a fault and without a race by their ids in the server. */
    Map<Long, String> transactions() {
        return Map.copyOf(transactions);
    }

    static @Nullable Object around(Connection connection, String sql, JdbcCall call) throws Throwable {
        StatementRecorder recorder = active;
        return recorder == null ? call.run() : recorder.execute(connection, sql, call);
    }

    private @Nullable Object execute(Connection connection, String sql, JdbcCall call) throws Throwable {
        StackTraceElement[] trace = Thread.currentThread().getStackTrace();
        Place place = Place.of(trace);
        PgConnection physical = connection.unwrap(PgConnection.class);
        boolean isCommit = RecordedStatement.isCommit(sql);
        boolean isOfLibrary = Place.isOfLibrary(trace);
        if (physical.getTransactionState() == TransactionState.IDLE) {
            openTransactions.remove(physical);
        }
        // Background work that no code of the application has called. On a thread of a library, a COMMIT has none on
        // its stack.
        boolean isElsewhere = place == null
                && !isOfLibrary
                && !callsByThread.containsKey(Thread.currentThread())
                && !openTransactions.containsKey(physical);
        // Not a message that begins its transaction too.
        boolean isEmptyCommit =
                sql.strip().equalsIgnoreCase("commit") && physical.getTransactionState() == TransactionState.IDLE;
        if (isElsewhere || isEmptyCommit) {
            return call.run();
        }
        if (vanished) {
            // Connections are not refused: the library asks for one again and again, which a process that vanished does
            // not.
            throw new ProcessVanishedError();
        }
        RecordedStatement statement;
        RecordedStatement.Kind kind = isCommit
                ? RecordedStatement.Kind.COMMIT
                : isOfLibrary ? RecordedStatement.Kind.LIBRARY : RecordedStatement.Kind.APPLICATION;
        String summary = RecordedStatement.summary(sql);
        synchronized (statements) {
            statement = new RecordedStatement(
                    statements.size() + 1,
                    count(each -> each.kind() == kind) + 1,
                    count(each -> each.kind() == kind && each.summary().equals(summary)) + 1,
                    callsByThread.getOrDefault(Thread.currentThread(), calls.get()),
                    sql,
                    kind,
                    place,
                    momentOf(trace),
                    Thread.currentThread().getName(),
                    physical.getAutoCommit(),
                    isBound(physical),
                    TransactionSynchronizationManager.getCurrentTransactionName(),
                    transactionOf(physical),
                    physical.getURL());
            statements.add(statement);
        }
        if (strike != null && !struck && strike.isAt(statement)) {
            struck = true;
            return strike(strike.fault(), physical, connection, call);
        }
        Object result = call.run();
        if (strike == null && callers == 1 && physical.getTransactionState() == TransactionState.OPEN) {
            Long id = backends.transaction(statement.url(), physical.getBackendPID());
            if (id != null) {
                transactions.put(id, statement.transaction());
            }
        }
        if (callers > 1
                && statement.kind() == RecordedStatement.Kind.APPLICATION
                && gatePassed.add(Thread.currentThread())) {
            gate.countDown();
            gate.await(GATE_MILLIS, TimeUnit.MILLISECONDS);
        }
        return result;
    }

    private int count(Predicate<RecordedStatement> predicate) {
        return (int) statements.stream().filter(predicate).count();
    }

    private @Nullable Object strike(Fault fault, PgConnection physical, Connection connection, JdbcCall call)
            throws Throwable {
        String url = physical.getURL();
        int pid = physical.getBackendPID();
        switch (fault) {
            case TERMINATED_BEFORE -> {
                backends.terminate(url, pid);
                return call.run();
            }
            case TERMINATED_AFTER -> {
                Object result = call.run();
                backends.terminate(url, pid);
                return result;
            }
            case CUT_BEFORE -> {
                return cut(ProofSocketFactory.Cut.BEFORE_IT_IS_SENT, call);
            }
            case CUT_AFTER -> {
                return cut(ProofSocketFactory.Cut.BEFORE_ITS_ANSWER_IS_READ, call);
            }
            case SERIALIZATION_FAILURE -> {
                return fail(connection, "40001");
            }
            case DEADLOCK -> {
                return fail(connection, "40P01");
            }
            case CANCELED -> {
                return fail(connection, "57014");
            }
            case LOCK_NOT_AVAILABLE -> {
                return fail(connection, "55P03");
            }
            case OUT_OF_MEMORY -> throw new OutOfMemoryError("Thrown by the test");
            case INTERRUPT -> {
                Thread.currentThread().interrupt();
                return call.run();
            }
            case VANISHED -> {
                vanished = true;
                try {
                    cut(ProofSocketFactory.Cut.BEFORE_ITS_ANSWER_IS_READ, call);
                } catch (SQLException e) {
                    // As expected, but nothing is there any more that could handle it.
                }
                throw new ProcessVanishedError();
            }
        }
        throw new IllegalStateException("Unknown fault " + fault);
    }

    private @Nullable Object cut(ProofSocketFactory.Cut cut, JdbcCall call) throws Throwable {
        ProofSocketFactory.cutNext(cut);
        try {
            return call.run();
        } finally {
            struck = ProofSocketFactory.isCut();
            ProofSocketFactory.cutNext(null);
        }
    }

    /** Lets the server itself report the failure, so that the transaction is in the state that belongs to it. */
    private static @Nullable Object fail(Connection connection, String sqlState) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "do $$ begin raise exception 'Injected by the test' using errcode = '" + sqlState + "'; end $$");
            return null;
        }
    }

    private static RecordedStatement.Moment momentOf(StackTraceElement[] trace) {
        boolean isOfListener = false;
        boolean isAfterEnd = false;
        for (StackTraceElement frame : trace) {
            String method = frame.getMethodName();
            isOfListener |= frame.getClassName().contains("TransactionalApplicationListener");
            isAfterEnd |= method.equals("invokeAfterCompletion") || method.equals("invokeAfterCommit");
            if (isAfterEnd && method.equals("processCommit")) {
                return isOfListener
                        ? RecordedStatement.Moment.LISTENER_AFTER_COMMIT
                        : RecordedStatement.Moment.AFTER_COMMIT;
            }
            if (isAfterEnd && (method.equals("processRollback") || method.equals("doRollbackOnCommitException"))) {
                return isOfListener
                        ? RecordedStatement.Moment.LISTENER_AFTER_ROLLBACK
                        : RecordedStatement.Moment.AFTER_ROLLBACK;
            }
        }
        return Place.isInCall(trace) ? RecordedStatement.Moment.IN_CALL : RecordedStatement.Moment.OUT_OF_CALL;
    }

    /** Returns whether Spring manages the transaction of a connection. */
    private static boolean isBound(PgConnection physical) throws SQLException {
        for (Object resource :
                TransactionSynchronizationManager.getResourceMap().values()) {
            if (resource instanceof ConnectionHolder holder
                    && holder.getConnection().unwrap(PgConnection.class) == physical) {
                return true;
            }
        }
        return false;
    }

    private String transactionOf(PgConnection physical) {
        return openTransactions.computeIfAbsent(
                physical, connection -> connection.getBackendPID() + "/" + TRANSACTIONS.incrementAndGet());
    }

    /** Nothing that catches exceptions can go on. */
    private static final class ProcessVanishedError extends Error {

        private static final long serialVersionUID = 1L;

        ProcessVanishedError() {
            super("The test lets this process vanish");
        }
    }
}
