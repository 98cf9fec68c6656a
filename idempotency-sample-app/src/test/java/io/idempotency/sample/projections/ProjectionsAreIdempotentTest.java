package io.idempotency.sample.projections;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import tools.jackson.databind.json.JsonMapper;

import io.idempotency.outbox.OutboxSender;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.sample.SampleProof;
import io.idempotency.sample.SentMessages;
import io.idempotency.sample.accounts.AccountEvent;
import io.idempotency.sample.accounts.AccountEventType;

@SampleProof
class ProjectionsAreIdempotentTest implements IdempotencyProof {

    private static final AccountEvent EVENT = new AccountEvent(
            new UUID(0, 1), "alice", 2, AccountEventType.DEPOSITED, 100, 1_000_100, null, Instant.EPOCH);

    @IdempotencyScenario
    void handle(OutboxSender sender, JsonMapper json) throws Exception {
        SentMessages.send(sender, AccountEvent.TOPIC, json.writeValueAsString(EVENT));
    }

    @IdempotencyScenario
    void deliverToBalances(AccountBalanceProjection balances) {
        balances.deliver(1, EVENT);
    }

    @IdempotencyScenario
    void deliverToTotals(DailyTotalsProjection totals) {
        totals.deliver(1, EVENT);
    }

    @IdempotencyScenario
    void replayToTotals(DailyTotalsProjection totals) {
        totals.replay(1, List.of(EVENT));
    }
}
