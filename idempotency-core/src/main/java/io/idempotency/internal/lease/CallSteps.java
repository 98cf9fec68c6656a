package io.idempotency.internal.lease;

import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.FailureTranslator;
import io.idempotency.PrintableText;
import io.idempotency.RecordedFailureException;
import io.idempotency.StepsChangedException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.CallParts;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.Invocation;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.transaction.Suppression;

import static java.util.Objects.requireNonNull;

/**
 * The steps of one run of a leased method. A step that is recorded is not run again. Others are run only if all recorded ones were
 * reached before, so that a step with a new name is not taken for one that is still to be done.
 */
final class CallSteps {

    private static final int MAX_NAME_LENGTH = 128;

    private final CallExecution execution;

    private final IdempotentCall call;

    private final HeldLease lease;

    private final CallParts parts;

    private final LeaseRenewal renewal;

    private final ResponseMapper responses;

    private final FailureTranslator failures;

    private final Thread thread = Thread.currentThread();

    private final Set<String> reached = new LinkedHashSet<>();

    private @Nullable String running;

    private @Nullable Throwable failureOfWork;

    /** The step of which nothing is recorded, although its work has ended. */
    private @Nullable String unrecorded;

    private boolean isEnded;

    CallSteps(CallExecution execution, HeldLease lease, CallParts parts, LeaseRenewal renewal) {
        this.execution = execution;
        this.call = execution.call();
        this.lease = lease;
        this.parts = parts;
        this.renewal = renewal;
        this.responses = parts.responses();
        this.failures = parts.failureTranslator();
    }

    /** Returns the name of the step that this thread is running. */
    @Nullable String running() {
        return Thread.currentThread() == thread ? running : null;
    }

    /** Runs a step, and records it in a transaction of its own. */
    @Nullable Object run(String name, Type type, Invocation work) throws Throwable {
        return replayOrRun(name, type, () -> {
            Object result = proceed(work);
            unrecorded = name;
            if (!lease.record(RecordedStep.succeeded(name, bodyOf(name, result, type)))) {
                throw lease.lost();
            }
            unrecorded = null;
            return result;
        });
    }

    /** Runs a step and records it in the same transaction. */
    @Nullable Object runInTransaction(String name, Type type, Invocation work) throws Throwable {
        return replayOrRun(name, type, () -> {
            StepTransaction transaction = new StepTransaction(lease);
            try (LeaseRenewal.Pause pause = renewal.pause(lease)) {
                transaction.run(parts, call.intent(), pause, () -> proceed(work), result -> {
                    if (!transaction.record(RecordedStep.succeeded(name, bodyOf(name, result, type)), result)) {
                        throw lease.lost();
                    }
                });
            } catch (Throwable thrown) {
                if (!transaction.isRecordedDespite(thrown)) {
                    throw thrown;
                }
                if (transaction.isCommitted()) {
                    lease.recorded(transaction.step());
                    throw thrown;
                }
            }
            lease.recorded(transaction.step());
            return transaction.result();
        });
    }

    private @Nullable Object proceed(Invocation work) throws Throwable {
        try {
            return work.proceed();
        } catch (Throwable thrown) {
            failureOfWork = thrown;
            throw thrown;
        }
    }

    private @Nullable Object replayOrRun(String name, Type type, Invocation step) throws Throwable {
        requireRunnable(name);
        Map<String, RecordedStep> recorded = lease.steps();
        RecordedStep before = recorded.get(name);
        if (before != null) {
            reached.add(name);
            execution.publisher().stepEnded(call, name, true);
            return replay(before, type);
        }
        requireReached(recorded.keySet(), "asks for the step '" + name + "', which is not recorded");
        if (!lease.ensure()) {
            throw lease.lost();
        }
        running = name;
        try {
            Object result = step.proceed();
            reached.add(name);
            execution.publisher().stepEnded(call, name, false);
            return result;
        } catch (Throwable thrown) {
            // What the library throws tells nothing of the step.
            if (thrown == failureOfWork && call.options().isFinal(thrown)) {
                recordFailure(name, thrown);
            }
            throw thrown;
        } finally {
            running = null;
            failureOfWork = null;
        }
    }

    private void requireRunnable(String name) {
        PrintableText.findProblem(name, 1, MAX_NAME_LENGTH).ifPresent(problem -> {
            throw new IllegalArgumentException("The name of a step " + problem);
        });
        if (Thread.currentThread() != thread || isEnded) {
            throw new IllegalStateException("The step '" + name + "' of the " + call.intent()
                    + " was asked for on another thread than its method's, or after the method has returned: ask for steps in the"
                    + " method, one after the other");
        }
        if (running != null) {
            throw new IllegalStateException("The step '" + name + "' of the " + call.intent()
                    + " was asked for within the step '" + running + "': end one before the next begins");
        }
        if (unrecorded != null) {
            throw new IllegalStateException("The step '" + name + "' of the " + call.intent()
                    + " was asked for after the step '" + unrecorded
                    + "', which has ended and could not be recorded: let the"
                    + " exception of that step leave the method, so that the next attempt begins with it");
        }
        if (reached.contains(name)) {
            throw new IllegalArgumentException("The " + call.intent() + " has had a step '" + name
                    + "' before: name each step once, in a loop with the number of its turn");
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("The step '" + name + "' of the " + call.intent()
                    + " was asked for in an open transaction, whose rollback would undo what the record says was done: remove"
                    + " @Transactional from the leased method, and use stepInTransaction() for its writes");
        }
    }

    /** Throws if a recorded step was not reached before the method returned. */
    void requireAllReached() throws Throwable {
        requireReached(lease.steps().keySet(), "has returned");
    }

    /** Notes that the method has ended. */
    void ended() {
        isEnded = true;
    }

    private void requireReached(Set<String> recorded, String problem) {
        for (String name : recorded) {
            if (!reached.contains(name)) {
                throw changed(recorded, problem + " without having asked for the step '" + name + "'", null);
            }
        }
    }

    private StepsChangedException changed(Set<String> recorded, String problem, @Nullable Throwable cause) {
        return new StepsChangedException(call.intent(), problem, List.copyOf(recorded), cause);
    }

    private @Nullable Object replay(RecordedStep step, Type type) throws Throwable {
        Failure failure = step.failure();
        if (failure != null) {
            RecordedFailureException recorded =
                    new RecordedFailureException(call.intent(), failure.code(), failure.message());
            Exception translated = failures.toException(recorded);
            throw translated == null ? recorded : translated;
        }
        if (type == void.class) {
            return null;
        }
        try {
            return responses.readUnchanged(call.intent(), requireNonNull(step.responseBody()), type);
        } catch (UnreadableResponseException unreadable) {
            throw changed(
                    lease.steps().keySet(),
                    "cannot read the result of the step '" + step.name() + "' as " + type.getTypeName(),
                    unreadable.getCause());
        }
    }

    private String bodyOf(String name, @Nullable Object result, Type type) {
        return type == void.class ? ResponseMapper.NULL_BODY : responses.writeStep(call.intent(), name, result, type);
    }

    private void recordFailure(String name, Throwable thrown) {
        unrecorded = name;
        try {
            String message = thrown.getMessage() == null ? "" : thrown.getMessage();
            Failure failure = new Failure(true, failures.codeOf(thrown), message);
            if (lease.record(RecordedStep.failed(name, failure))) {
                reached.add(name);
                unrecorded = null;
                execution.publisher().stepEnded(call, name, false);
            }
        } catch (Throwable recordingFailure) {
            Suppression.add(thrown, recordingFailure);
        }
    }
}
