package io.idempotency.benchmarks.call;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.idempotency.benchmarks.harness.BenchmarkServer;
import io.idempotency.benchmarks.harness.Job;
import io.idempotency.benchmarks.harness.Results;
import io.idempotency.benchmarks.harness.Rounds;

/** Measures calls. */
public final class CallJobs {

    private static final int REPEATED_KEYS = 1_000;

    private CallJobs() {}

    /**
     * Measures calls with new keys.
     *
     * @throws Exception if one fails, or a contender does not keep its promise
     */
    public static Results newKeys(BenchmarkServer server, Rounds rounds) throws Exception {
        Map<String, Callable<CallContender>> contenders = new LinkedHashMap<>();
        for (Approach approach : List.of(
                Approach.PLAIN,
                Approach.HAND_WRITTEN,
                Approach.HAND_WRITTEN_PIPELINED,
                Approach.FLOOR,
                Approach.STARTER,
                Approach.STARTER_PIPELINED,
                Approach.STARTER_VOID,
                Approach.OUTBOX_PUBLISH)) {
            contenders.put(approach.name(), () -> CallContender.start(approach, server));
        }
        return rounds.measure(Job.NEW_KEY, contenders);
    }

    /**
     * Measures calls with keys that are known.
     *
     * @throws Exception if one fails, or a contender does not keep its promise
     */
    public static Results repeatedKeys(BenchmarkServer server, Rounds rounds) throws Exception {
        Map<String, Callable<CallContender>> contenders = new LinkedHashMap<>();
        for (Approach approach : List.of(Approach.SELECT, Approach.HAND_WRITTEN, Approach.STARTER)) {
            contenders.put(approach.name(), () -> {
                CallContender contender = CallContender.start(approach, server);
                contender.repeatOnly(REPEATED_KEYS);
                return contender;
            });
        }
        return rounds.measure(Job.REPEATED_KEY, contenders);
    }
}
