package io.idempotency.internal.call;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.AutoSave;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.DuplicatePolicy;
import io.idempotency.FailureTranslator;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestStatus;
import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.CallParts;
import io.idempotency.internal.call.attempt.CallSettings;
import io.idempotency.internal.call.attempt.Effect;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.Invocation;
import io.idempotency.internal.call.attempt.KeyOwnership;
import io.idempotency.internal.call.attempt.OutcomePublisher;
import io.idempotency.internal.call.attempt.Rethrow;
import io.idempotency.internal.call.attempt.RetrySettings;
import io.idempotency.internal.call.attempt.TransactionalAttempt;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.lease.LeaseRenewal;
import io.idempotency.internal.lease.LeasedCalls;
import io.idempotency.internal.operation.CallMode;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.tenant.RoutedDatabase;
import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.FailedCommit;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.write.WriteAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A call whose method and whose database do what a script says. A script is all that the call asks them for, in turn. Parentheses are
 * a connection that is taken and given back. A word after a colon is the answer, unless that is the good one: an SQLSTATE is an
 * error of the server, {@code lost} a lost connection, {@code broken} an exception that tells nothing, and {@code slow} the good
 * answer after a while. When a call asks for something else, all further answers are good ones.
 */
final class ScriptedCall {

    private static final Intent INTENT = new Intent("payments", "", new IdempotencyKey("key"));

    private static final Fingerprint FINGERPRINT = new Fingerprint(1, new byte[32]);

    private static final RequestKey KEY = RequestKey.of(INTENT, FINGERPRINT);

    private static final String DATABASE = "database";

    /** The step of the first run. */
    private static final RecordedStep STEP = RecordedStep.succeeded("step", "\"run 1\"");

    private static final ResponseMapper RESPONSES =
            new ResponseMapper(List.of(new JacksonResponseCodec(new JsonMapper())), 10_000, true);

    /** How the call is made. */
    enum Form {
        TRANSACTIONAL(CallMode.TRANSACTIONAL, true),
        JOINED(CallMode.TRANSACTIONAL, false),
        OPTIMISTIC(CallMode.OPTIMISTIC, true),
        ROW_ALONE(CallMode.OPTIMISTIC, true),
        WRITE(CallMode.TRANSACTIONAL, false),
        LEASED(CallMode.LEASED, false),
        LEASED_IN_TRANSACTION(CallMode.LEASED, true),
        LEASED_BEFORE_COMMIT(CallMode.LEASED, true),
        LEASED_REPEATABLE(CallMode.LEASED, true);

        private final CallMode mode;

        private final boolean declaresTransaction;

        Form(CallMode mode, boolean declaresTransaction) {
            this.mode = mode;
            this.declaresTransaction = declaresTransaction;
        }
    }

    static final Duration LEASE = Duration.ofMinutes(1);

    /** How long a slow answer takes. */
    static final Duration SLOW = Duration.ofMillis(50);

    private final Form form;

    private final Settings settings;

    private final Deque<String> script;

    private final List<String> asked = new ArrayList<>();

    private final List<Duration> waitLimits = new ArrayList<>();

    private final Deque<ScriptedConnection> connections = new ArrayDeque<>();

    private List<RecordedStep> steps = List.of();

    private int runs;

    private Duration leaseRemaining = LEASE;

    private @Nullable Outcome outcome;

    ScriptedCall(Form form, Settings settings, String script) {
        this.form = form;
        this.settings = settings;
        this.script = new ArrayDeque<>(Arrays.asList(script.split(" ")));
    }

    /** Makes the call. Returns what was asked and answered, what the caller got and the outcome that was published. */
    String make() {
        AbstractDataSource dataSource = new ScriptedDataSource();
        DataSourceTransactionManager manager = form == Form.ROW_ALONE || form == Form.LEASED_BEFORE_COMMIT
                ? new OtherTransactionManager(dataSource)
                : new DataSourceTransactionManager(dataSource);
        ActiveTransaction.track(manager);
        ClaimStore store = proxy(ClaimStore.class, this::answer);
        FailureTranslator translator = new Translator();
        JoinedTransactions transactions = new JoinedTransactions(dataSource, manager);
        CallParts parts = new CallParts(store, transactions, dataSource, RESPONSES, translator, settings.ofAllCalls());
        LeaseRenewal renewal = new LeaseRenewal(
                (connection, leases, bound) -> List.of(),
                dataSource,
                RoutedDatabase.of(dataSource),
                Duration.ofDays(1));
        LeasedCalls leasedCalls = new LeasedCalls(parts, renewal);
        IdempotentCallExecutor executor = new IdempotentCallExecutor(List.of(), leasedCalls, parts);
        KeyedWrite write = form == Form.WRITE ? new KeyedWrite(List.of(), false, "written") : null;
        Function<CallExecution, TransactionalAttempt> firstAttempt =
                write == null ? null : execution -> WriteAttempt.first(execution, write);
        Effect effect = new ScriptedEffect(
                write == null ? () -> method(leasedCalls) : () -> write(transactions, store, write), manager);
        String answer = answerOf(
                inItsCallers(manager, () -> executor.execute(new Publisher(), this::callOf, effect, firstAttempt)));
        assertThat(activeTransactionOfThisThread()).isNull();
        return String.join(" ", asked) + " -> " + answer + ", " + outcome;
    }

    /** A transaction that stays there keeps its connection and its response for as long as the thread lives. */
    private static @Nullable Object activeTransactionOfThisThread() {
        try {
            Field innermost = ActiveTransaction.class.getDeclaredField("INNERMOST");
            innermost.setAccessible(true);
            return ((ThreadLocal<?>) innermost.get(null)).get();
        } catch (ReflectiveOperationException renamed) {
            throw new LinkageError("The field is another one", renamed);
        }
    }

    /** Returns how long the lease was believed to last when the method began. */
    Duration leaseRemaining() {
        return leaseRemaining;
    }

    /** Returns how long each claim might have waited. */
    List<Duration> waitLimits() {
        return waitLimits;
    }

    private static @Nullable Object write(JoinedTransactions transactions, ClaimStore store, KeyedWrite write) {
        transactions.onOpenConnection(connection -> store.write(connection, write, 0));
        return write.response();
    }

    private Invocation inItsCallers(PlatformTransactionManager manager, Invocation call) {
        return form != Form.JOINED
                ? call
                : () -> new TransactionTemplate(manager).<@Nullable Object>execute(status -> {
                    try {
                        return call.proceed();
                    } catch (Throwable failure) {
                        throw Rethrow.unchanged(failure);
                    }
                });
    }

    private static String answerOf(Invocation call) {
        try {
            return String.valueOf(call.proceed());
        } catch (Throwable thrown) {
            String sqlState = thrown instanceof IdempotencyException ? null : SqlStates.of(thrown);
            return sqlState == null ? thrown.getClass().getSimpleName() : sqlState;
        }
    }

    private IdempotentCall callOf() {
        CallOptions options = new CallOptions(
                form.mode,
                new CallOptions.Retention(Duration.ofDays(1), null),
                new CallOptions.Waiting(DuplicatePolicy.WAIT, settings.waitTimeout),
                new CallOptions.LeaseOptions(LEASE, form == Form.LEASED_REPEATABLE),
                settings.maxAttempts,
                form.mode == CallMode.OPTIMISTIC ? List.of() : List.of(Declined.class, OutcomeUnknownException.class),
                false);
        return new IdempotentCall(KEY, DATABASE, options, String.class);
    }

    /**
     * The settings of a call that matter to its decisions.
     *
     * @param maxAttempts the largest number of attempts
     * @param retryTimeout the time after which no further attempt begins; zero for none
     * @param waitTimeout the longest wait for another call
     * @param recordsEveryFailure whether failures that are not final are recorded
     */
    record Settings(int maxAttempts, Duration retryTimeout, Duration waitTimeout, boolean recordsEveryFailure) {

        private static final Duration PAUSE = Duration.ofMillis(2);

        CallSettings ofAllCalls() {
            return new CallSettings(
                    10, 10, new RetrySettings(new Backoff(PAUSE, 1, PAUSE), retryTimeout), recordsEveryFailure);
        }
    }

    private @Nullable Object method(LeasedCalls leasedCalls) {
        runs++;
        leaseRemaining = leasedCalls.remainingInThisJvm(new KeyOwnership.LocalKey(KEY.id(), DATABASE));
        switch (ask("method")) {
            case "fails" -> throw new IllegalStateException();
            case "declines" -> throw new Declined(null);
            case "fails_untranslatably" -> throw new UnsupportedOperationException();
            case "fails_its_translator" -> throw new IllegalMonitorStateException();
            case "fails_after_commit" ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        throw new Declined(new SQLException("another database is busy", "40001"));
                    }
                });
            case "extends" -> IdempotencyContext.current().extendLease(Duration.ofMinutes(2));
            case "step" -> {
                return IdempotencyContext.current().step(STEP.name(), String.class, () -> ask("work") + "run " + runs);
            }
            case "step_in_transaction" -> {
                return IdempotencyContext.current()
                        .stepInTransaction(STEP.name(), String.class, () -> ask("work") + "run " + runs);
            }
            default -> {}
        }
        return "run " + runs;
    }

    private String ask(String question) {
        try {
            return send(question);
        } catch (SQLException failure) {
            throw new UncategorizedSQLException(question, null, failure);
        }
    }

    private String send(String question) throws SQLException {
        String next = script.peek();
        if (next == null || !(next + ":").startsWith(question + ":")) {
            script.clear();
            next = question;
        }
        script.poll();
        asked.add(next);
        String answer = next.equals(question) ? "" : next.substring(question.length() + 1);
        if (answer.endsWith("lost")) {
            if (!connections.isEmpty()) {
                connections.element().isClosed = true;
            }
            throw new SQLException("the connection was lost", "08006");
        }
        if (answer.equals("broken")) {
            throw new SQLException("no answer of the server");
        }
        if (answer.equals("slow")) {
            long start = System.nanoTime();
            while (System.nanoTime() - start < SLOW.toNanos()) {
                Thread.onSpinWait();
            }
            return "";
        }
        if (answer.matches("[0-9A-Z]{5}")) {
            throw new SQLException("an error of the server", answer);
        }
        return answer;
    }

    private @Nullable Object answer(Object store, Method statement, @Nullable Object[] arguments) {
        return switch (statement.getName()) {
            case "claim" -> claim((ClaimRequest) arguments[1]);
            case "claimAndCommit" -> claimAndCommit(arguments);
            case "complete" -> isDone("complete");
            case "completeWithCommit" -> ask("complete");
            case "completeAndCommit" -> isDone("complete") && hasEnded();
            case "fail" -> isDone("fail") && hasEnded();
            case "extendLease" -> hasEndedAnd(isDone("extend"));
            case "recordFailure" -> hasEndedAnd(isDone("record"));
            case "findSettled" -> find((Fence) arguments[1]);
            case "recordStep" -> isDone("step");
            case "recordStepAndCommit" -> isDone("step") && hasEnded();
            case "findSteps" -> steps;
            case "insertFinished" -> ask("insert");
            case "write", "writeAndCommit" -> {
                ask("write");
                yield null;
            }
            case "insertFinishedAndCommit" -> ask("send");
            default -> ofObject(store, statement, arguments);
        };
    }

    /** Notes that a message has had its COMMIT. */
    private boolean hasEnded() {
        return hasEndedAnd(true);
    }

    private boolean hasEndedAnd(boolean isDone) {
        connections.element().isEnded = true;
        return isDone;
    }

    /** The answer {@code unfound} is a connection that is lost by a message without a COMMIT. A reclaim tells what it grants. */
    @SuppressWarnings("unchecked")
    private ClaimResult claimAndCommit(@Nullable Object[] arguments) {
        String next = String.valueOf(script.peek());
        if (next.equals("claim:unfound")) {
            asked.add(script.remove());
            connections.element().isClosed = true;
            throw new UncategorizedSQLException("find", null, new SQLException("the connection was lost", "08006"));
        }
        if (next.equals("claim:granted_retry_lost")) {
            ((Consumer<ClaimResult>) arguments[2]).accept(ClaimResult.granted(ClaimResult.Kind.GRANTED_RETRY, 2));
        }
        return FailedCommit.commitWith((Connection) arguments[0], () -> {
            ClaimResult result = claim((ClaimRequest) arguments[1]);
            if (result.kind() != ClaimResult.Kind.IN_PROGRESS) {
                hasEnded();
            }
            return result;
        });
    }

    private boolean isDone(String statement) {
        return !ask(statement).equals("no");
    }

    private ClaimResult claim(ClaimRequest request) {
        waitLimits.add(request.waitLimit());
        String answer = ask("claim");
        ClaimResult.Kind kind = answer.isEmpty()
                ? ClaimResult.Kind.GRANTED_NEW
                : ClaimResult.Kind.valueOf(answer.toUpperCase(Locale.ROOT));
        return switch (kind) {
            case GRANTED_NEW -> ClaimResult.granted(kind, 1);
            case GRANTED_RETRY, GRANTED_RECOVERY -> ClaimResult.granted(kind, 2);
            case SUCCEEDED -> ClaimResult.succeeded("\"stored\"");
            case FAILED_FINALLY -> ClaimResult.failedFinally(new Failure(true, "declined", "no funds"));
            case IN_PROGRESS -> ClaimResult.inProgress(new SQLException("the wait has ended", "55P03"));
            case LEASED -> ClaimResult.leased(Duration.ofMillis(10));
            default -> ClaimResult.of(kind);
        };
    }

    private Optional<StoredRequest> find(Fence fence) {
        String answer = ask("find");
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        boolean isReclaimed = answer.equals("reclaimed");
        steps = answer.equals("step") ? List.of(STEP) : List.of();
        return Optional.of(new StoredRequest(
                INTENT,
                FINGERPRINT,
                isReclaimed || answer.equals("step")
                        ? RequestStatus.PROCESSING
                        : RequestStatus.valueOf(answer.toUpperCase(Locale.ROOT)),
                isReclaimed ? fence.attempt() + 1 : fence.attempt(),
                answer.equals("succeeded") ? "\"stored\"" : null,
                null,
                null,
                fence.token(),
                false,
                null));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object ofObject(Object proxy, Method method, @Nullable Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "scripted";
            default -> throw new UnsupportedOperationException(method.getName());
        };
    }

    /** One of a class that is not known, so that a row is not sent with its COMMIT. */
    @SuppressWarnings("serial") // The superclass is serializable for historical reasons only.
    private static final class OtherTransactionManager extends DataSourceTransactionManager {

        OtherTransactionManager(DataSource dataSource) {
            super(dataSource);
        }
    }

    /** A failure that is final. */
    private static final class Declined extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Declined(@Nullable Throwable cause) {
            super(cause);
        }
    }

    private static final class Translator implements FailureTranslator {

        @Override
        public String codeOf(Throwable failure) {
            if (failure instanceof UnsupportedOperationException) {
                throw new NoClassDefFoundError("codes");
            }
            if (failure instanceof IllegalMonitorStateException itself) {
                throw itself;
            }
            return FailureTranslator.super.codeOf(failure);
        }
    }

    private final class Publisher implements OutcomePublisher {

        @Override
        public void retried(IdempotentCall call, int attempts, Throwable failure) {
            ask("repeat");
        }

        @Override
        public void returns(CallExecution.Ended call) {}

        @Override
        public void ended(CallExecution.Ended call) {
            outcome = call.outcome();
        }
    }

    private final class ScriptedDataSource extends AbstractDataSource {

        @Override
        public Connection getConnection() throws SQLException {
            send("(");
            connections.push(new ScriptedConnection());
            return proxy(Connection.class, connections.element());
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    private final class ScriptedConnection implements InvocationHandler {

        private boolean isClosed;

        private boolean isAutoCommit = true;

        private boolean isEnded;

        /** Set even if the COMMIT fails, because the driver then has no transaction either. */
        private boolean isCommitSent;

        @Override
        public @Nullable Object invoke(Object connection, Method method, @Nullable Object[] arguments)
                throws SQLException {
            return switch (method.getName()) {
                case "commit", "rollback" -> end(method.getName());
                case "close" -> {
                    connections.remove(this);
                    yield send(")");
                }
                case "abort" -> {
                    isClosed = true;
                    yield null;
                }
                case "isClosed" -> isClosed;
                case "getAutoCommit" -> isAutoCommit;
                case "setAutoCommit" -> {
                    isAutoCommit = Boolean.TRUE.equals(arguments[0]);
                    yield null;
                }
                case "isReadOnly" -> false;
                case "getAutosave" -> AutoSave.NEVER;
                case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
                case "unwrap" -> proxy(BaseConnection.class, this);
                case "getTransactionState" -> isEnded || isCommitSent ? TransactionState.IDLE : TransactionState.OPEN;
                case "getParameterStatus" -> "on";
                default -> ofObject(connection, method, arguments);
            };
        }

        /** Sends nothing if the transaction has ended, as a driver does. */
        private @Nullable Object end(String statement) throws SQLException {
            if (isClosed) {
                throw new SQLException("This connection is closed", "08003");
            }
            if (!isEnded) {
                isCommitSent |= statement.equals("commit");
                send(statement);
                isEnded = true;
            }
            return null;
        }
    }

    /** The method, which may declare a transaction. */
    private final class ScriptedEffect implements Effect {

        private final Invocation method;

        private final PlatformTransactionManager manager;

        ScriptedEffect(Invocation method, PlatformTransactionManager manager) {
            this.method = method;
            this.manager = manager;
        }

        @Override
        public @Nullable Object run() throws Throwable {
            return method.proceed();
        }

        @Override
        public @Nullable Object within(TransactionalPart part) throws Throwable {
            return form.declaresTransaction
                    ? new TransactionTemplate(manager).<@Nullable Object>execute(status -> {
                        try {
                            return part.in(status);
                        } catch (Throwable failure) {
                            throw Rethrow.unchanged(failure);
                        }
                    })
                    : part.in(null);
        }
    }
}
