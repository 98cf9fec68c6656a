package io.idempotency.benchmarks.call;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.idempotency.benchmarks.harness.BenchmarkServer;
import io.idempotency.benchmarks.harness.Job;
import io.idempotency.benchmarks.harness.Options;
import io.idempotency.benchmarks.harness.Results;
import io.idempotency.benchmarks.harness.Rounds;

/** Measures calls. */
public final class CallJobs {

    private static final int REPEATED_KEYS = 2_000;

    /** So many that the instance has forgotten a key when its turn comes again. */
    private static final int UNSEEN_KEYS = 60_000;

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
                Approach.PLAIN_IN_ONE_MESSAGE,
                Approach.HAND_WRITTEN,
                Approach.FLOOR,
                Approach.STARTER,
                Approach.STARTER_OPTIMISTIC,
                Approach.STARTER_WRITE,
                Approach.STARTER_VOID,
                Approach.STARTER_LEASED,
                Approach.OUTBOX_PUBLISH)) {
            contenders.put(approach.name(), () -> CallContender.start(approach, server));
        }
        return rounds.measure(Job.NEW_KEY, contenders);
    }

    /**
     * Measures leased calls that record results on their way.
     *
     * @throws Exception if one fails, or a contender does not keep its promise
     */
    public static Results steps(BenchmarkServer server, Rounds rounds) throws Exception {
        Map<String, Callable<CallContender>> contenders = new LinkedHashMap<>();
        for (Approach approach : List.of(
                Approach.LEASED,
                Approach.LEASED_STEPS,
                Approach.LEASED_INSERTS,
                Approach.LEASED_AUTO_COMMITTED_INSERTS)) {
            contenders.put(approach.name(), () -> CallContender.start(approach, server));
        }
        return rounds.measure(Job.STEPS, contenders);
    }

    /**
     * Measures calls with keys that are known.
     *
     * @throws Exception if one fails, or a contender does not keep its promise
     */
    public static Results repeatedKeys(BenchmarkServer server, Rounds rounds) throws Exception {
        Map<String, Callable<CallContender>> contenders = new LinkedHashMap<>();
        for (Approach approach : List.of(
                Approach.SELECT,
                Approach.HAND_WRITTEN,
                Approach.STARTER,
                Approach.STARTER_OPTIMISTIC,
                Approach.STARTER_WRITE)) {
            contenders.put(approach.name(), () -> {
                CallContender contender = CallContender.start(approach, server);
                contender.repeatOnly(REPEATED_KEYS);
                return contender;
            });
        }
        return rounds.measure(Job.REPEATED_KEY, contenders);
    }

    /**
     * Measures calls with keys that are known, as those of a storm of duplicates that another instance has answered.
     *
     * @throws Exception if one fails, or a contender does not keep its promise
     */
    public static Results unseenKeys(BenchmarkServer server, Rounds rounds, Options options) throws Exception {
        int keys = Math.min(UNSEEN_KEYS, options.rounds() * UNSEEN_KEYS / 20);
        Map<String, Callable<CallContender>> contenders = new LinkedHashMap<>();
        for (Approach approach :
                List.of(Approach.HAND_WRITTEN, Approach.STARTER, Approach.STARTER_OPTIMISTIC, Approach.STARTER_WRITE)) {
            contenders.put(approach.name(), () -> {
                CallContender contender = CallContender.start(approach, server);
                contender.repeatInTurn(keys);
                return contender;
            });
        }
        return rounds.measure(Job.UNSEEN_KEY, contenders);
    }
}
