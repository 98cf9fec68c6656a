package io.idempotency.benchmarks.batch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.idempotency.benchmarks.harness.BenchmarkServer;
import io.idempotency.benchmarks.harness.ContenderApplication;
import io.idempotency.benchmarks.harness.Job;
import io.idempotency.benchmarks.harness.Results;
import io.idempotency.benchmarks.harness.Rounds;
import io.idempotency.benchmarks.harness.StarterConfiguration;

/** Measures batches of messages. */
public final class BatchJob {

    private BatchJob() {}

    /**
     * Measures batches of new messages.
     *
     * @throws Exception if one fails, or a contender makes an effect twice
     */
    public static Results newMessages(BenchmarkServer server, Rounds rounds) throws Exception {
        Map<String, Callable<BatchContender>> contenders = new LinkedHashMap<>();
        contenders.put("plain", () -> start(server, "plain", false, "", PlainBatches.class));
        contenders.put(
                "hand-written",
                () -> start(server, "hand-written", true, HandWrittenBatches.DDL, HandWrittenBatches.class));
        contenders.put(
                "starter", () -> start(server, "starter", true, "", StarterBatches.class, StarterConfiguration.class));
        return rounds.measure(Job.INBOX_BATCH, contenders);
    }

    private static BatchContender start(
            BenchmarkServer server, String name, boolean once, String ddl, Class<?>... beans) {
        ContenderApplication application = new ContenderApplication(server, name, ddl, List.of(beans), List.of());
        BatchContender contender = new BatchContender(application, application.bean(BatchService.class));
        contender.check(once);
        return contender;
    }
}
