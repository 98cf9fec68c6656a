package io.idempotency.sample;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What becomes of the message of a payment without a broker. */
class ActivityTest {

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
    void openAccount() {
        jdbc.sql("insert into account values (?, 1000000)").param(account).update();
    }

    @Test
    @Tag("race")
    void aPaymentThatIsAskedForOftenIsCountedOnce() throws Exception {
        ConcurrentCalls.run(10, () -> pay("1", 1250)).requireAllSucceeded();
        pay("2", 50);

        awaitActivity(2, 1300);
        assertThat(messages()).isEqualTo(2);
    }

    @Test
    void aPaymentThatFailsTellsNobody() throws Exception {
        assertThat(pay("1", 1_000_001).status()).isEqualTo(422);
        pay("2", 50);

        awaitActivity(1, 50);
        assertThat(messages()).isEqualTo(1);
    }

    @Test
    void whatCannotBeCountedIsCountedOnceWhenItCan() throws Exception {
        jdbc.sql("alter table account_activity add constraint trouble check (account_id <> '" + account + "')")
                .update();
        pay("1", 1250);
        pay("2", 50);
        await().until(() -> attempts() >= 2);
        assertThat(activity()).isEqualTo(activity(0, 0));

        jdbc.sql("alter table account_activity drop constraint trouble").update();

        awaitActivity(2, 1300);
    }

    @Test
    void anAccountThatDoesNotExistHasNoActivity() throws Exception {
        assertThat(wallet.get("/accounts/nobody/activity").status()).isEqualTo(404);
    }

    @Test
    void nobodyConnectsToABroker() throws Exception {
        pay("1", 1250);
        awaitActivity(1, 1250);

        assertThat(broker.accept()).isNull();
    }

    private Answer pay(String key, long cents) throws Exception {
        return wallet.pay(account + key, new Orders.Order(account + key, account, cents).body());
    }

    private void awaitActivity(long payments, long cents) {
        await().untilAsserted(() -> assertThat(activity()).isEqualTo(activity(payments, cents)));
        await().until(() -> messages("status <> 'sent'") == 0);
        assertThat(activity()).isEqualTo(activity(payments, cents));
    }

    private String activity(long payments, long cents) {
        return "{\"accountId\":\"" + account + "\",\"payments\":" + payments + ",\"cents\":" + cents + "}";
    }

    private String activity() {
        try {
            return wallet.get("/accounts/" + account + "/activity").body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private int attempts() {
        return jdbc.sql("select max(attempt_count) from idempotency.outbox_event where ordering_key = ?")
                .param(account)
                .query(Integer.class)
                .single();
    }

    private long messages() {
        return messages("true");
    }

    private long messages(String condition) {
        return jdbc.sql("select count(*) from idempotency.outbox_event where ordering_key = ? and " + condition)
                .param(account)
                .query(Long.class)
                .single();
    }
}
