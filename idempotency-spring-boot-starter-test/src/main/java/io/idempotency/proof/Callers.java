package io.idempotency.proof;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/** The callers of one run. They repeat what fails, as clients do, and keep what they are answered. */
final class Callers {

    /** With pauses that double, these are three seconds; whatever fails for longer will not succeed. */
    private static final int MOST_ATTEMPTS = 12;

    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    private final StatementRecorder recorder;

    private final Databases databases;

    private final Answers shown;

    private final List<Map<String, String>> answers = Collections.synchronizedList(new ArrayList<>());

    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

    private volatile boolean unanswered;

    Callers(StatementRecorder recorder, Databases databases, Answers shown) {
        this.recorder = recorder;
        this.databases = databases;
        this.shown = shown;
    }

    /** Calls an instance, and after a failure the next one, until there is an answer. */
    void call(Instance instance, Instance next) {
        Instance called = instance;
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            // Where calls run concurrently, another call may hold the lease.
            if (recorder.hasStruck()) {
                databases.expireLeases();
            }
            recorder.callBegins();
            try {
                Map<String, String> answer = answerOf(called);
                recorder.callEnds();
                answers.add(answer);
                return;
            } catch (Throwable failure) {
                failures.add(failure);
                called = next;
            } finally {
                // The next call belongs to another client.
                Thread.interrupted();
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.min(LONGEST_PAUSE_MILLIS, 1L << attempt)));
        }
        unanswered = true;
    }

    private Map<String, String> answerOf(Instance instance) throws Throwable {
        try {
            return shown.members(instance.call());
        } catch (Throwable failure) {
            Map<String, String> refusal = shown.refusal(failure);
            if (refusal == null) {
                throw failure;
            }
            return refusal;
        }
    }

    /** Calls all at once, one on each of these instances. */
    void callAtOnce(List<Instance> instances) throws Exception {
        CyclicBarrier start = new CyclicBarrier(instances.size());
        ExecutorService threads = Executors.newFixedThreadPool(instances.size());
        try {
            List<Future<@Nullable Object>> calls = new ArrayList<>();
            for (Instance instance : instances) {
                calls.add(threads.submit((Callable<@Nullable Object>) () -> {
                    start.await();
                    call(instance, instance);
                    return null;
                }));
            }
            for (Future<@Nullable Object> call : calls) {
                call.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    /** Calls once with the payload that is to be refused, over HTTP with an answer. */
    void callWithAnotherPayload(Instance instance) {
        recorder.callBegins();
        try {
            instance.callWithAnotherPayload();
        } catch (Throwable refused) {
            failures.add(refused);
        }
    }

    List<Map<String, String>> answers() {
        return List.copyOf(answers);
    }

    List<Throwable> failures() {
        return List.copyOf(failures);
    }

    boolean isUnanswered() {
        return unanswered;
    }
}
