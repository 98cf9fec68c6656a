package io.idempotency.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** What is made of the events of accounts without a broker, while they come and while it is built anew. */
@Tag("full")
class ProjectionsTest {

    private static final long OPENED_WITH = 1_000_000;

    @AutoClose
    private static final ServerSocket BROKER = broker();

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start(
            "--spring.kafka.bootstrap-servers=127.0.0.1:" + BROKER.getLocalPort(),
            "--idempotency.outbox.poll-interval=50ms",
            "--idempotency.outbox.backoff.delay=50ms",
            "--idempotency.outbox.backoff.max-delay=200ms");

    private static final WalletClient WALLET = SAMPLE.wallet();

    /** An account for each test. */
    private final String account = UUID.randomUUID().toString();

    private static ServerSocket broker() {
        try {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            socket.setSoTimeout(1);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeEach
    void openAccount() throws Exception {
        assertThat(WALLET.open(account, OPENED_WITH).status()).isEqualTo(201);
    }

    @Test
    @Tag("race")
    void aCommandThatIsSentOftenIsCountedOnce() throws Exception {
        ConcurrentCalls.run(10, () -> pay("1", 1250)).requireAllSucceeded();
        pay("2", 50);
        command("withdrawals", "3", 100);

        awaitAll();
        assertThat(WALLET.get("/projections/account-balance/" + account).body())
                .isEqualTo("{\"accountId\":\"" + account + "\",\"version\":4,\"balanceCents\":998600}");
        Answer totals = WALLET.get("/accounts/" + account + "/daily-totals");
        assertThat(JsonPath.<Map<String, Object>>read(totals.body(), "$[0]"))
                .containsAllEntriesOf(Map.of(
                        "deposits", 1,
                        "depositedCents", 1_000_000,
                        "withdrawals", 1,
                        "withdrawnCents", 100,
                        "payments", 2,
                        "paidCents", 1300));
        assertThat(messages("topic = 'account-events'")).isEqualTo(4);
    }

    @Test
    void aCommandThatFailsTellsNobody() throws Exception {
        assertThat(pay("1", OPENED_WITH + 1).status()).isEqualTo(422);
        pay("2", 50);

        awaitAll();
        assertThat(messages("topic = 'account-events'")).isEqualTo(2);
        assertThat(messages("topic = 'payments'")).isEqualTo(1);
    }

    @Test
    void anEventThatIsToldAgainIsCountedOnceAndChangesNoBalanceBack() throws Exception {
        command("deposits", "1", 500);
        command("deposits", "2", 70);
        awaitAll();

        publishAgain(2);
        publishAgain(3);

        awaitAll();
        assertThat(messages("topic = 'account-events'")).isEqualTo(5);
    }

    @Test
    void whatCannotBeCountedIsCountedOnceWhenItCan() throws Exception {
        awaitAll();
        SAMPLE.jdbc()
                .execute("alter table daily_totals add constraint trouble check (account_id <> '" + account
                        + "') not valid");
        pay("1", 1250);
        pay("2", 50);
        await().until(() -> messages("attempt_count >= 2") > 0);
        assertThat(lag("daily-totals")).isPositive();

        SAMPLE.jdbc().execute("alter table daily_totals drop constraint trouble");

        awaitAll();
    }

    @ParameterizedTest
    @CsvSource({"account-balance", "daily-totals"})
    @Tag("race")
    void aRebuildUnderLoadEndsInTheSameState(String name) throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger sent = new AtomicInteger();
        ConcurrentCalls<Void> clients = ConcurrentCalls.start(4, () -> {
            while (!isOver.get()) {
                int number = sent.incrementAndGet();
                command(number % 3 == 0 ? "withdrawals" : "deposits", name + number, number % 50 + 1);
            }
        });
        try {
            await().until(() -> sent.get() > 100);
            long before = generation(name);
            for (int rebuild = 1; rebuild <= 5; rebuild++) {
                int sentBefore = sent.get();
                Answer rebuilt = rebuild(name);
                assertThat(rebuilt.status()).as(rebuilt.body()).isEqualTo(200);
                assertThat(rebuilt.number("$.generation")).isEqualTo(before + rebuild);
                assertThat(rebuilt.number("$.events")).isGreaterThan(100);
                await().until(() -> sent.get() > sentBefore + 20);
            }
        } finally {
            isOver.set(true);
        }
        clients.await().requireAllSucceeded();

        awaitAll();
        rebuild(name);
        awaitAll();
        assertThat(generations(name)).containsExactly((int) generation(name));
    }

    @ParameterizedTest
    @CsvSource({"account-balance, account_balance", "daily-totals, daily_totals"})
    @Tag("race")
    void anEventThatComesBetweenReplayAndSwitchIsNotLost(String name, String table) throws Exception {
        awaitAll();
        ConcurrentCalls<Answer> rebuild;
        try (Connection before = lock(table);
                Connection after = SAMPLE.begin("select")) {
            rebuild = ConcurrentCalls.start(1, () -> rebuild(name));
            SAMPLE.awaitWaiting(1);
            after.createStatement().execute("select from projection for update");
            before.rollback();
            await().until(() -> SAMPLE.waiting("update projection%") == 1);
            command("deposits", "1", 500);
            awaitAll();
        }

        assertThat(rebuild.await().requireAllSucceeded().get(0).status()).isEqualTo(200);
        awaitAll();
    }

    @ParameterizedTest
    @CsvSource({"account-balance, account_balance", "daily-totals, daily_totals"})
    void aRebuildThatDiesIsHarmless(String name, String table) throws Exception {
        pay("1", 1250);
        awaitAll();
        long before = generation(name);
        ConcurrentCalls<Answer> dying;
        try (Connection blocker = lock(table)) {
            dying = ConcurrentCalls.start(1, () -> rebuild(name));
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                SAMPLE.jdbc()
                        .queryForList(
                                "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'");
                return dying.isDone();
            });
            blocker.rollback();
        }
        assertThat(dying.await().requireAllSucceeded().get(0).status()).isEqualTo(500);
        assertThat(generation(name)).isEqualTo(before);
        pay("2", 50);
        awaitAll();

        Answer rebuilt = rebuild(name);

        assertThat(rebuilt.number("$.generation")).isEqualTo(before + 2);
        awaitAll();
        assertThat(generations(name)).containsExactly((int) before + 2);
    }

    @Test
    @Tag("race")
    void ofTwoRebuildsAtOnceTheLaterOneCounts() throws Exception {
        awaitAll();
        long before = generation("daily-totals");
        ConcurrentCalls<Answer> first;
        ConcurrentCalls<Answer> second;
        try (Connection blocker = lock("daily_totals")) {
            first = ConcurrentCalls.start(1, () -> rebuild("daily-totals"));
            SAMPLE.awaitWaiting(1);
            second = ConcurrentCalls.start(1, () -> rebuild("daily-totals"));
            SAMPLE.awaitWaiting(2);
            blocker.rollback();
        }

        assertThat(first.await().requireAllSucceeded().get(0).status()).isEqualTo(409);
        assertThat(second.await().requireAllSucceeded().get(0).number("$.generation"))
                .isEqualTo(before + 2);
        assertThat(generation("daily-totals")).isEqualTo(before + 2);
        awaitAll();
    }

    /** What another one has counted is in its inbox: without its rows it would be wrong for ever. */
    @ParameterizedTest
    @CsvSource({"account-balance, account_balance", "daily-totals, daily_totals"})
    @Tag("race")
    void aRebuildThatEndsLeavesTheNextOneWhatItHasMade(String name, String table) throws Exception {
        awaitAll();
        int next = (int) generation(name) + 2;
        ConcurrentCalls<Answer> ending;
        try (Connection projections = SAMPLE.begin("select");
                Connection rows = SAMPLE.begin("select")) {
            try (Connection blocker = lock(table)) {
                ending = ConcurrentCalls.start(1, () -> rebuild(name));
                SAMPLE.awaitWaiting(1);
                projections.createStatement().execute("select from projection for update");
                blocker.rollback();
            }
            await().until(() -> SAMPLE.waiting("update projection%") == 1);
            rows.createStatement().execute("lock table " + table + " in share mode");
            projections.rollback();
            await().until(() -> SAMPLE.waiting("delete from " + table + "%") == 1);
            rows.createStatement()
                    .execute("update projection set building = %d where name = '%s'".formatted(next, name));
            rows.createStatement()
                    .execute(
                            "insert into %1$s select (jsonb_populate_record(t, '{\"generation\": %2$d}')).* from %1$s t where generation = %3$d"
                                    .formatted(table, next, next - 1));
            rows.commit();
        }

        assertThat(ending.await().requireAllSucceeded().get(0).status()).isEqualTo(200);
        assertThat(generations(name)).containsExactlyInAnyOrder(next - 1, next);
        assertThat(rebuild(name).status()).isEqualTo(200);
        awaitAll();
    }

    @Test
    void whatDoesNotExistIsNotFound() throws Exception {
        assertThat(rebuild("nothing").status()).isEqualTo(404);
        assertThat(WALLET.get("/accounts/nobody/daily-totals").status()).isEqualTo(404);
        assertThat(WALLET.get("/projections/account-balance/nobody").status()).isEqualTo(404);
    }

    @Test
    void nobodyConnectsToABroker() throws Exception {
        pay("1", 1250);
        awaitAll();

        assertThatThrownBy(BROKER::accept).isInstanceOf(SocketTimeoutException.class);
    }

    private Answer pay(String key, long cents) throws Exception {
        return WALLET.pay(account + key, new Orders.Order(account + key, account, cents).body());
    }

    private void command(String command, String key, long cents) throws Exception {
        Answer answer =
                WALLET.post("/accounts/" + account + "/" + command, account + key, "{\"amountCents\":" + cents + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    }

    private static Answer rebuild(String name) throws Exception {
        return WALLET.post("/projections/" + name + "/rebuild", null, "");
    }

    /** As a message of its own, which the inbox has not seen. */
    private void publishAgain(long version) throws Exception {
        String event = WALLET.get("/accounts/" + account + "/events/" + version).body();
        OutboxMessage message = OutboxMessage.of("account-events", "AccountEventRecorded")
                .orderingKey(account)
                .payload(SAMPLE.bean(JsonMapper.class).readTree(event))
                .build();
        SAMPLE.bean(TransactionTemplate.class)
                .executeWithoutResult(status -> SAMPLE.bean(Outbox.class).publish(message));
    }

    /** Until every message has come, and then what was made of them has to be right. */
    private static void awaitAll() {
        SAMPLE.awaitAllSent();
        ProjectionChecks.requireExact(SAMPLE.jdbc());
        assertThat(lag("account-balance")).isZero();
        assertThat(lag("daily-totals")).isZero();
    }

    private static long lag(String name) {
        return status(name, "lag");
    }

    private static long generation(String name) {
        return status(name, "generation");
    }

    private static long status(String name, String member) {
        try {
            Answer all = WALLET.get("/projections");
            assertThat(all.status()).as(all.body()).isEqualTo(200);
            return all.number(name.equals("account-balance") ? "$[0]." + member : "$[1]." + member);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Integer> generations(String name) {
        return SAMPLE.jdbc().queryForList("select distinct generation from " + name.replace('-', '_'), Integer.class);
    }

    private long messages(String condition) {
        return SAMPLE.count("idempotency.outbox_event where ordering_key = ? and " + condition, account);
    }

    /** Against whoever writes. */
    private static Connection lock(String table) throws SQLException {
        return SAMPLE.begin("lock table " + table + " in share mode");
    }
}
