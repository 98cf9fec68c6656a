package io.idempotency.sample;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What is made of the events of accounts without a broker, while they come and while it is built anew. */
@Tag("full")
class ProjectionsTest {

    private static final long OPENED_WITH = 1_000_000;

    private static ServerSocketChannel broker;

    private static RunningSample sample;

    private static WalletClient wallet;

    private static JdbcClient jdbc;

    /** An account for each test. */
    private final String account = UUID.randomUUID().toString();

    @BeforeAll
    static void start() throws Exception {
        broker = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        broker.configureBlocking(false);
        sample = RunningSample.start(
                "--spring.kafka.bootstrap-servers=127.0.0.1:" + broker.socket().getLocalPort(),
                "--idempotency.outbox.poll-interval=50ms",
                "--idempotency.outbox.backoff.delay=50ms",
                "--idempotency.outbox.backoff.max-delay=200ms");
        wallet = WalletClient.of(sample.url());
        jdbc = sample.jdbc();
    }

    @AfterAll
    static void stop() throws Exception {
        sample.close();
        broker.close();
    }

    @BeforeEach
    void openAccount() throws Exception {
        assertThat(wallet.open(account, OPENED_WITH).status()).isEqualTo(201);
    }

    @Test
    @Tag("race")
    void aCommandThatIsSentOftenIsCountedOnce() throws Exception {
        ConcurrentCalls.run(10, () -> pay("1", 1250)).requireAllSucceeded();
        pay("2", 50);
        command("withdrawals", "3", 100);

        awaitAll();
        assertThat(projectedBalance())
                .isEqualTo("{\"accountId\":\"" + account + "\",\"version\":4,\"balanceCents\":998600}");
        Answer totals = wallet.get("/accounts/" + account + "/daily-totals");
        assertThat(totals.number("$[0].deposits")).isEqualTo(1);
        assertThat(totals.number("$[0].depositedCents")).isEqualTo(OPENED_WITH);
        assertThat(totals.number("$[0].withdrawals")).isEqualTo(1);
        assertThat(totals.number("$[0].withdrawnCents")).isEqualTo(100);
        assertThat(totals.number("$[0].payments")).isEqualTo(2);
        assertThat(totals.number("$[0].paidCents")).isEqualTo(1300);
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
        jdbc.sql("alter table daily_totals add constraint trouble check (account_id <> '" + account + "') not valid")
                .update();
        pay("1", 1250);
        pay("2", 50);
        await().until(() -> attempts() >= 2);
        assertThat(lag("daily-totals")).isPositive();

        jdbc.sql("alter table daily_totals drop constraint trouble").update();

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
                Connection after = connection()) {
            rebuild = ConcurrentCalls.start(1, () -> rebuild(name));
            await().until(() -> waiting() == 1);
            after.createStatement().execute("select from projection for update");
            before.rollback();
            await().until(() -> waiting("update projection%") == 1);
            command("deposits", "1", 500);
            awaitAll();
            after.rollback();
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
                jdbc.sql("select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'")
                        .query()
                        .listOfRows();
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
            await().until(() -> waiting() == 1);
            second = ConcurrentCalls.start(1, () -> rebuild("daily-totals"));
            await().until(() -> waiting() == 2);
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
        try (Connection projections = connection();
                Connection rows = connection()) {
            try (Connection blocker = lock(table)) {
                ending = ConcurrentCalls.start(1, () -> rebuild(name));
                await().until(() -> waiting() == 1);
                projections.createStatement().execute("select from projection for update");
                blocker.rollback();
            }
            await().until(() -> waiting("update projection%") == 1);
            rows.createStatement().execute("lock table " + table + " in share mode");
            projections.rollback();
            await().until(() -> waiting("delete from " + table + "%") == 1);
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
        assertThat(wallet.get("/accounts/nobody/daily-totals").status()).isEqualTo(404);
        assertThat(wallet.get("/projections/account-balance/nobody").status()).isEqualTo(404);
    }

    @Test
    void nobodyConnectsToABroker() throws Exception {
        pay("1", 1250);
        awaitAll();

        assertThat(broker.accept()).isNull();
    }

    private Answer pay(String key, long cents) throws Exception {
        return wallet.pay(account + key, new Orders.Order(account + key, account, cents).body());
    }

    private void command(String command, String key, long cents) throws Exception {
        Answer answer =
                wallet.post("/accounts/" + account + "/" + command, account + key, "{\"amountCents\":" + cents + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    }

    private static Answer rebuild(String name) throws Exception {
        return wallet.post("/projections/" + name + "/rebuild", null, "");
    }

    /** As a message of its own, which the inbox has not seen. */
    private void publishAgain(long version) throws Exception {
        String event = wallet.get("/accounts/" + account + "/events/" + version).body();
        OutboxMessage message = OutboxMessage.of("account-events", "AccountEventRecorded")
                .orderingKey(account)
                .payload(sample.application().getBean(JsonMapper.class).readTree(event))
                .build();
        sample.application()
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(
                        status -> sample.application().getBean(Outbox.class).publish(message));
    }

    /** Until every message has come, and then what was made of them has to be right. */
    private static void awaitAll() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> jdbc.sql("select count(*) from idempotency.outbox_event where status <> 'sent'")
                                .query(Long.class)
                                .single()
                        == 0);
        ProjectionChecks.requireExact(sample.application().getBean(JdbcTemplate.class));
        assertThat(lag("account-balance")).isZero();
        assertThat(lag("daily-totals")).isZero();
    }

    private String projectedBalance() throws Exception {
        return wallet.get("/projections/account-balance/" + account).body();
    }

    private static long lag(String name) {
        return status(name, "lag");
    }

    private static long generation(String name) {
        return status(name, "generation");
    }

    private static long status(String name, String member) {
        try {
            Answer all = wallet.get("/projections");
            assertThat(all.status()).as(all.body()).isEqualTo(200);
            return all.number(name.equals("account-balance") ? "$[0]." + member : "$[1]." + member);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Integer> generations(String name) {
        return jdbc.sql("select distinct generation from " + name.replace('-', '_'))
                .query(Integer.class)
                .list();
    }

    private int attempts() {
        return jdbc.sql("select max(attempt_count) from idempotency.outbox_event where ordering_key = ?")
                .param(account)
                .query(Integer.class)
                .single();
    }

    private long messages(String condition) {
        return jdbc.sql("select count(*) from idempotency.outbox_event where ordering_key = ? and " + condition)
                .param(account)
                .query(Long.class)
                .single();
    }

    /** Against whoever writes. */
    private static Connection lock(String table) throws SQLException {
        Connection connection = connection();
        connection.createStatement().execute("lock table " + table + " in share mode");
        return connection;
    }

    private static Connection connection() throws SQLException {
        Connection connection = sample.application().getBean(DataSource.class).getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static long waiting() {
        return waiting("%");
    }

    private static long waiting(String query) {
        return jdbc.sql("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like ?")
                .param(query)
                .query(Long.class)
                .single();
    }
}
