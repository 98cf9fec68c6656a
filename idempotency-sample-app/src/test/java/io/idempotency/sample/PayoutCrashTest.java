package io.idempotency.sample;

import java.nio.file.Path;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.idempotency.sample.ProviderGate.Fault;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** An instance is killed between the steps of a payout; another one finishes it when the lease is over. */
@PostgresTest
@Tag("race")
@Tag("full")
class PayoutCrashTest {

    private final String key = UUID.randomUUID().toString();

    private final TestDatabase database;

    private final ProviderGate gate;

    private RunningSample survivor;

    @TempDir
    private Path directory;

    PayoutCrashTest(TestDatabase database) {
        this.database = database;
        this.gate = new ProviderGate();
    }

    @BeforeEach
    void start() {
        survivor = RunningSample.startOn(database, "--sample.provider.lost-answers=0");
        gate.leadTo(survivor);
    }

    @AfterEach
    void stop() {
        gate.close();
        survivor.close();
    }

    @Test
    void killBetweenWithdrawalAndTransferLosesNothing() throws Exception {
        PayoutRecords records = killInTheMiddle(500, Fault.REQUEST_HELD);
        assertThat(records.transfers()).isEmpty();

        assertPaidOnce(records);
    }

    @Test
    void killBetweenTransferAndCompletionRepeatsNothing() throws Exception {
        PayoutRecords records = killInTheMiddle(500, Fault.ANSWER_HELD);
        assertThat(records.transfers()).hasSize(1);

        assertPaidOnce(records);
    }

    @Test
    void killAfterARefusalPutsTheMoneyBackOnce() throws Exception {
        PayoutRecords records = killInTheMiddle(513, Fault.ANSWER_HELD);

        Answer refused = records.pay(key, 513);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(records.pay(key, 513)).isEqualTo(refused.asReplay());
        assertThat(records.spent()).isZero();
        assertThat(records.transfers()).isEmpty();
        assertThat(records.claims(key)).containsExactly("failed_final 2");
    }

    /** Of whoever is left, on an account whose money has left it. */
    private PayoutRecords killInTheMiddle(long cents, Fault fault) throws Exception {
        PayoutRecords records = PayoutRecords.open(survivor);
        gate.meetAll(fault);
        try (SampleProcess victim = SampleProcess.start(
                database,
                directory.resolve("victim"),
                "--sample.payouts.lease=3s",
                "--sample.provider.url=" + gate.url(),
                "--sample.provider.timeout=30s")) {
            WalletClient wallet = WalletClient.of(victim.awaitUrl());
            ConcurrentCalls<Answer> broken = ConcurrentCalls.start(
                    1, () -> new PayoutRecords(survivor, wallet, records.account()).pay(key, cents));
            gate.awaitHeld();
            victim.kill();
            assertThat(broken.await().failures()).hasSize(1);
        }
        assertThat(records.spent()).isEqualTo(cents);
        assertThat(records.statuses()).containsExactly("PENDING");
        assertThat(records.claims(key)).containsExactly("processing 1");
        return records;
    }

    private void assertPaidOnce(PayoutRecords records) throws Exception {
        Answer paid = records.pay(key, 500);

        assertThat(paid.status()).as(paid.body()).isEqualTo(201);
        assertThat(records.pay(key, 500)).isEqualTo(paid.asReplay());
        assertThat(records.spent()).isEqualTo(500);
        assertThat(records.transfers()).containsExactly(paid.text("$.transferId"));
        assertThat(records.statuses()).containsExactly("PAID");
        assertThat(records.claims(key)).containsExactly("succeeded 2");
    }
}
