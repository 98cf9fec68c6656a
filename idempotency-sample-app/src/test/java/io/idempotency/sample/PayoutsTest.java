package io.idempotency.sample;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.sample.ProviderGate.Fault;

import static org.assertj.core.api.Assertions.assertThat;

/** Payouts as their clients see them, through a provider that cannot be relied on. */
@Tag("full")
class PayoutsTest {

    @AutoClose
    private static final ProviderGate GATE = new ProviderGate();

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start(
            "--sample.provider.url=" + GATE.url(),
            "--sample.provider.lost-answers=0",
            "--sample.provider.timeout=1s",
            "--sample.provider.attempts=3",
            "--sample.provider.pause=10ms",
            "--sample.payouts.lease=4s",
            "--idempotency.wait-timeout=20s");

    private final String key = UUID.randomUUID().toString();

    private PayoutRecords records;

    @BeforeEach
    void open() throws Exception {
        GATE.leadTo(SAMPLE);
        GATE.meetAll(Fault.NONE);
        records = PayoutRecords.open(SAMPLE);
    }

    @Test
    void payoutIsMadeAndFoundAndRepeated() throws Exception {
        Answer paid = records.pay(key, 500);

        assertPaidOnce(paid, 500);
        assertThat(paid.json())
                .containsAllEntriesOf(Map.of("accountId", records.account(), "amountCents", 500, "status", "PAID"));
        assertThat(paid.location()).isEqualTo("/accounts/" + records.account() + "/payouts/" + paid.text("$.payoutId"));
        assertThat(SAMPLE.wallet().get(paid.location()).body()).isEqualTo(paid.body());

        assertThat(records.pay(key, 500)).isEqualTo(paid.asReplay());
        assertPaidOnce(paid, 500);
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST_LOST", "ANSWER_LOST", "ANSWER_HELD", "ANSWER_STALLED"})
    void whatTheProviderDoesNotAnswerIsSentAgain(Fault fault) throws Exception {
        GATE.meet(fault, 2);

        Answer paid = records.pay(key, 500);

        assertPaidOnce(paid, 500);
        assertThat(GATE.keys()).hasSize(3).containsOnly(GATE.keys().element());
        assertThat(records.pay(key, 500)).isEqualTo(paid.asReplay());
        assertPaidOnce(paid, 500);
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST_LOST", "ANSWER_LOST"})
    void providerThatIsAwayLosesNothing(Fault fault) throws Exception {
        GATE.meetAll(fault);

        Answer failed = records.pay(key, 500);

        assertThat(failed.status()).isEqualTo(503);
        assertThat(failed.retryAfter()).isEqualTo("1");
        assertThat(failed.text("$.title")).isEqualTo("Payment provider is unavailable");
        assertThat(records.spent()).isEqualTo(500);
        assertThat(records.statuses()).containsExactly("PENDING");
        assertThat(records.claims(key)).containsExactly("failed_retryable 1");
        String downstreamKey = GATE.keys().element();

        GATE.meetAll(Fault.NONE);

        assertPaidOnce(records.pay(key, 500), 500);
        assertThat(GATE.keys()).containsExactly(downstreamKey);
        assertThat(records.claims(key)).containsExactly("succeeded 2");
    }

    /** The provider would send the money again if it was asked again. */
    @Test
    void recordedTransferIsNotMadeAgainWhenTheProviderHasForgottenItsKey() throws Exception {
        Answer failed = whileNoPayoutCanBe("status = 'PAID'", () -> records.pay(key, 500));
        assertThat(failed.status()).isEqualTo(500);
        assertThat(records.statuses()).containsExactly("PENDING");
        assertThat(records.transfers()).hasSize(1);
        records.letProviderForgetKeys();

        assertPaidOnce(records.pay(key, 500), 500);
        assertThat(GATE.keys()).hasSize(1);
    }

    /** Whoever stands between may answer as well. */
    @ParameterizedTest
    @CsvSource({
        "200, ''",
        "201, ''",
        "201, {}",
        "201, <html></html>",
        "402, ''",
        "402, {}",
        "402, <html></html>",
        "422, {}",
        "302, ''"
    })
    void answerThatSaysNothingLeavesThePayoutPending(int status, String body) throws Exception {
        GATE.answerAll(status, body);

        assertThat(records.pay(key, 500).status()).isEqualTo(500);
        assertThat(records.spent()).isEqualTo(500);
        assertThat(records.statuses()).containsExactly("PENDING");

        GATE.meetAll(Fault.NONE);

        assertPaidOnce(records.pay(key, 500), 500);
    }

    @Test
    void refusedPayoutPutsTheMoneyBackOnceAndIsReplayed() throws Exception {
        Answer refused = records.pay(key, 513);

        assertRefusedOnce(refused);

        assertThat(records.pay(key, 513)).isEqualTo(refused.asReplay());
        assertRefusedOnce(refused);
        assertThat(GATE.statuses()).as("answers of the provider").containsExactly(402);
    }

    /** A key that is repeated after all that time is a new one for the library, but the payout is known. */
    @Test
    void refusedPayoutPutsNothingBackAgainWhenItsKeysAreForgotten() throws Exception {
        Answer refused = records.pay(key, 513);
        SAMPLE.jdbc().execute("truncate idempotency.idempotency_request");

        assertThat(records.pay(key, 513)).isEqualTo(refused);

        assertRefusedOnce(refused);
    }

    @Test
    void refusalThatWasLostPutsNothingBackUntilItIsHeard() throws Exception {
        GATE.meetAll(Fault.ANSWER_LOST);
        assertThat(records.pay(key, 513).status()).isEqualTo(503);
        assertThat(records.spent()).isEqualTo(513);

        GATE.meetAll(Fault.NONE);

        assertRefusedOnce(records.pay(key, 513));
    }

    /** As if the instance had died right after it, but quicker. */
    @Test
    void refusalWhoseRecordIsLostPutsTheMoneyBackOnceAndDoesNotAskAgain() throws Exception {
        Answer refused = whileNothingCanBeRecorded(() -> records.pay(key, 513));
        assertRefusedOnce(refused);
        assertThat(records.claims(key)).containsExactly("processing 1");

        assertThat(records.pay(key, 513)).isEqualTo(refused);

        assertRefusedOnce(refused);
        assertThat(records.claims(key)).containsExactly("failed_final 2");
        assertThat(GATE.statuses()).as("answers of the provider").containsExactly(402);
    }

    @Test
    void keyOfAPayoutIsRefusedForAnotherAccount() throws Exception {
        records.pay(key, 500);
        PayoutRecords other = PayoutRecords.open(SAMPLE);

        assertReused(other.pay(key, 500));

        assertThat(other.spent()).isZero();
    }

    @Test
    void amountCannotBeCorrectedOnceTheMoneyHasLeftTheAccount() throws Exception {
        GATE.meetAll(Fault.ANSWER_LOST);
        assertThat(records.pay(key, 500).status()).isEqualTo(503);
        GATE.meetAll(Fault.NONE);

        assertReused(records.pay(key, 900));
        assertThat(records.spent()).isEqualTo(500);

        assertPaidOnce(records.pay(key, 500), 500);
    }

    @Test
    void withdrawalThatCannotBeWrittenDownIsNotMadeAndBindsNothing() throws Exception {
        Answer failed = whileNoPayoutCanBe("status = 'PENDING'", () -> records.pay(key, 500));
        assertThat(failed.status()).isEqualTo(500);
        assertThat(records.spent()).isZero();
        assertThat(GATE.keys()).isEmpty();

        assertPaidOnce(records.pay(key, 900), 900);
    }

    @Test
    void payoutThatTheAccountDoesNotHoldIsRefusedForGood() throws Exception {
        Answer refused = records.pay(key, PayoutRecords.OPENED_WITH + 1);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.text("$.title")).isEqualTo("Insufficient funds");
        assertThat(records.pay(key, PayoutRecords.OPENED_WITH + 1)).isEqualTo(refused.asReplay());
        assertThat(records.spent()).isZero();
        assertThat(records.statuses()).isEmpty();
        assertThat(GATE.statuses()).isEmpty();
    }

    @Test
    void missingMoneyWhoseRecordIsLostIsAnsweredInTheSameWords() throws Exception {
        Answer refused = whileNothingCanBeRecorded(() -> records.pay(key, PayoutRecords.OPENED_WITH + 1));
        assertThat(records.claims(key)).containsExactly("processing 1");

        assertThat(records.pay(key, PayoutRecords.OPENED_WITH + 1)).isEqualTo(refused);

        assertThat(records.claims(key)).containsExactly("failed_final 2");
    }

    @Test
    void payoutFromAnUnknownAccountBindsNothing() throws Exception {
        PayoutRecords unknown = new PayoutRecords(SAMPLE, SAMPLE.wallet(), "nobody");

        assertThat(unknown.pay(key, 500).status()).isEqualTo(404);

        assertPaidOnce(records.pay(key, 500), 500);
    }

    @Test
    void payoutOfNothingIsNotValid() throws Exception {
        assertThat(records.pay(key, 0).status()).isEqualTo(400);
        assertThat(records.pay(null, 500).status()).isEqualTo(400);
        assertThat(records.statuses()).isEmpty();
    }

    private Answer whileNoPayoutCanBe(String condition, Callable<Answer> call) throws Exception {
        return whileConstrained(
                "payout", "not (account_id = '%s' and %s)".formatted(records.account(), condition), call);
    }

    private Answer whileNothingCanBeRecorded(Callable<Answer> call) throws Exception {
        return whileConstrained(
                "idempotency.idempotency_request",
                "idempotency_key <> '%s' or status = 'processing'".formatted(key),
                call);
    }

    private static Answer whileConstrained(String table, String condition, Callable<Answer> call) throws Exception {
        SAMPLE.jdbc().execute("alter table %s add constraint trouble check (%s) not valid".formatted(table, condition));
        try {
            return call.call();
        } finally {
            SAMPLE.jdbc().execute("alter table %s drop constraint trouble".formatted(table));
        }
    }

    private void assertPaidOnce(Answer paid, long cents) throws Exception {
        assertThat(paid.status()).as(paid.body()).isEqualTo(201);
        assertThat(records.spent()).isEqualTo(cents);
        assertThat(records.statuses()).containsExactly("PAID");
        assertThat(records.transfers()).containsExactly(paid.text("$.transferId"));
    }

    private void assertRefusedOnce(Answer refused) throws Exception {
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.text("$.title")).isEqualTo("Payout refused");
        assertThat(refused.text("$.detail")).contains("13 cents");
        assertThat(records.spent()).isZero();
        assertThat(records.statuses()).containsExactly("REFUSED");
        assertThat(records.transfers()).isEmpty();
    }

    private static void assertReused(Answer refused) {
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.text("$.type")).contains("key-reused");
    }
}
