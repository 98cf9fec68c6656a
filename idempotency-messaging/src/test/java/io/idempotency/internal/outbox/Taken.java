package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.idempotency.outbox.OutboxRecord;

/** What a relay would take, which is left as it is. */
final class Taken {

    private Taken() {}

    static List<OutboxRecord> from(OutboxStore store) {
        List<OutboxRecord> taken = new ArrayList<>();
        store.send(100, Duration.ofSeconds(20), null, due -> {
            due.forEach(each -> taken.add(each.message()));
            return List.of();
        });
        return taken;
    }

    static List<OutboxRecord> inAnotherThread(OutboxStore store) {
        return CompletableFuture.supplyAsync(() -> from(store))
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    static List<SendResult> asSent(List<OutboxStore.DueMessage> due) {
        return due.stream()
                .map(each -> new SendResult(each.message(), SendResult.Status.SENT, Duration.ZERO, null))
                .toList();
    }
}
