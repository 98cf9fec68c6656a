package io.idempotency.sample;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** Commands on accounts as clients send them, and the events that they make. */
@Tag("full")
class AccountsHttpTest {

    private static final long OPENED_WITH = 10_000;

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start();

    private static final WalletClient WALLET = SAMPLE.wallet();

    /** An account for each test. */
    private final String account = UUID.randomUUID().toString();

    private final String key = UUID.randomUUID().toString();

    @BeforeEach
    void openAccount() throws Exception {
        assertThat(WALLET.open(account, OPENED_WITH).status()).isEqualTo(201);
    }

    @Test
    void aDepositIsAnEventThatIsFoundAgain() throws Exception {
        Answer deposited = deposit(key, 500);

        assertThat(deposited.status()).isEqualTo(201);
        assertThat(deposited.location()).isEqualTo("/accounts/" + account + "/events/2");
        assertThat(deposited.json())
                .containsAllEntriesOf(Map.of(
                        "accountId",
                        account,
                        "type",
                        "deposited",
                        "version",
                        2,
                        "amountCents",
                        500,
                        "balanceCents",
                        10_500));
        assertThat(deposited.body()).contains("eventId", "occurredAt").doesNotContain("paymentId");
        assertThat(WALLET.get(deposited.location()).body()).isEqualTo(deposited.body());
        assertThat(WALLET.get("/accounts/" + account + "/events?after=1").body())
                .isEqualTo("[" + deposited.body() + "]");
        assertThat(WALLET.get("/accounts/" + account).body())
                .isEqualTo("{\"accountId\":\"" + account + "\",\"version\":2,\"balanceCents\":10500}");
    }

    @Test
    void aWithdrawalTellsItsAmountAsItWasSent() throws Exception {
        Answer withdrawn = withdraw(key, "500");

        assertThat(withdrawn.json())
                .containsAllEntriesOf(Map.of("type", "withdrawn", "amountCents", 500, "balanceCents", 9_500));
        assertThat(sum()).isEqualTo(OPENED_WITH - 500);
    }

    @Test
    void aPaymentIsAnEvent() throws Exception {
        Answer paid = WALLET.pay(key, new Orders.Order(key, account, 1250).body());

        Answer event = WALLET.get("/accounts/" + account + "/events/2");
        assertThat(event.text("$.type")).isEqualTo("paid");
        assertThat(event.text("$.paymentId")).isEqualTo(paid.text("$.paymentId"));
        assertThat(sum()).isEqualTo(OPENED_WITH - 1250);
    }

    @Test
    void aKeyBelongsToItsAccountAndAmount() throws Exception {
        deposit(key, 500);
        String other = UUID.randomUUID().toString();
        WALLET.open(other, OPENED_WITH);

        assertThat(deposit(key, 501).status()).isEqualTo(422);
        assertThat(WALLET.post("/accounts/" + other + "/deposits", key, "{\"amountCents\":500}")
                        .text("$.type"))
                .isEqualTo("urn:problem-type:idempotency:key-reused");
        assertThat(types()).containsExactly("opened", "deposited");
    }

    @Test
    @Tag("race")
    void ofCommandsThatExpectTheSameVersionOneWins() throws Exception {
        List<Answer> answers = ConcurrentCalls.run(
                        8, index -> command("deposits", key + index, "500,\"expectedVersion\":1"))
                .requireAllSucceeded();

        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.status() == 409)
                .hasSize(7)
                .allSatisfy(conflict -> {
                    assertThat(conflict.contentType()).isEqualTo("application/problem+json");
                    assertThat(conflict.json())
                            .containsAllEntriesOf(
                                    Map.of("title", "Version conflict", "expectedVersion", 1, "currentVersion", 2));
                });
        assertThat(types()).containsExactly("opened", "deposited");
    }

    @Test
    void aVersionConflictLeavesTheKeyFree() throws Exception {
        deposit("first-" + key, 500);
        assertThat(withdraw(key, "100,\"expectedVersion\":1").status()).isEqualTo(409);
        assertThat(types()).containsExactly("opened", "deposited");

        Answer withdrawn = withdraw(key, "100,\"expectedVersion\":2");

        assertThat(withdrawn.status()).isEqualTo(201);
        assertThat(withdrawn.number("$.version")).isEqualTo(3);
        assertThat(withdraw(key, "100,\"expectedVersion\":2")).isEqualTo(withdrawn.asReplay());
    }

    @Test
    void insufficientFundsAreReplayedThoughMoneyHasCome() throws Exception {
        Answer refused = withdraw(key, "10001");
        deposit("later-" + key, 500);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.text("$.title")).isEqualTo("Insufficient funds");
        assertThat(withdraw(key, "10001")).isEqualTo(refused.asReplay());
        assertThat(sum()).isEqualTo(OPENED_WITH + 500);
        assertThat(withdraw("new-" + key, "10001").status()).isEqualTo(201);
    }

    @Test
    void anUnknownAccountBindsNothing() throws Exception {
        Answer refused = WALLET.post("/accounts/nobody/deposits", key, "{\"amountCents\":500}");

        assertThat(refused.status()).isEqualTo(404);
        assertThat(deposit(key, 500).status()).isEqualTo(201);
    }

    @Test
    void badCommandsAreRefused() throws Exception {
        Answer nothing = withdraw(key, "0");
        assertThat(nothing.status()).isEqualTo(400);
        assertThat(nothing.text("$.detail")).isEqualTo("amountCents must be greater than 0.");
        assertThat(withdraw(key, "null").status()).isEqualTo(400);
        assertThat(withdraw(key, "1000000000001").status()).isEqualTo(400);
        assertThat(withdraw(key, "1,\"expectedVersion\":0").status()).isEqualTo(400);
        assertThat(deposit(null, 500).text("$.type")).isEqualTo("urn:problem-type:idempotency:missing-key");
        assertThat(WALLET.get("/accounts/" + account + "/events/2").status()).isEqualTo(404);
        assertThat(WALLET.get("/accounts/" + account + "/events?after=-1").status())
                .isEqualTo(400);
        assertThat(WALLET.get("/accounts/nobody/events").status()).isEqualTo(404);
    }

    @Test
    void anAccountIsOpenedOnce() throws Exception {
        String opening = "{\"accountId\":\"" + account + "\",\"amountCents\":" + OPENED_WITH + "}";

        assertThat(WALLET.open(account, OPENED_WITH).replayed()).isEqualTo("true");
        assertThat(WALLET.post("/accounts", key, opening).status()).isEqualTo(409);
        assertThat(types()).containsExactly("opened");
    }

    private Answer deposit(String commandKey, long cents) throws Exception {
        return command("deposits", commandKey, "" + cents);
    }

    private Answer withdraw(String commandKey, String cents) throws Exception {
        return command("withdrawals", commandKey, cents);
    }

    private Answer command(String command, String commandKey, String cents) throws Exception {
        return WALLET.post("/accounts/" + account + "/" + command, commandKey, "{\"amountCents\":" + cents + "}");
    }

    private List<String> types() {
        return SAMPLE.texts("select event_type from account_event where account_id = ? order by version", account);
    }

    private long sum() {
        String sql = "select sum(amount_cents)::bigint from account_event where account_id = ?";
        return SAMPLE.jdbc().queryForObject(sql, Long.class, account);
    }
}
