package io.idempotency.sample;

import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What customers are told of payments. */
@Tag("full")
class NotificationsTest {

    private static RunningSample sample;

    private static WalletClient wallet;

    private static JdbcClient jdbc;

    private final String reference = UUID.randomUUID().toString();

    @BeforeAll
    static void start() {
        sample = RunningSample.start("--idempotency.outbox.poll-interval=50ms");
        wallet = WalletClient.of(sample.url());
        jdbc = sample.jdbc();
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    @Test
    void customerIsToldOfAPaymentOnce() throws Exception {
        Answer paid = pay();
        pay();

        awaitAllSent();
        assertThat(notifications(paid))
                .singleElement()
                .asString()
                .startsWith("alice: 12.50 EUR were paid for " + reference + ". Your account holds ")
                .endsWith(" EUR.");
    }

    /** Or a second delivery would send again what somebody has removed since. */
    @Test
    void inboxKnowsTheMessageEvenWithoutTheNotification() throws Exception {
        Answer paid = pay();
        awaitAllSent();
        jdbc.sql("delete from sent_notification where payment_id = ?::uuid")
                .param(paid.text("$.paymentId"))
                .update();

        assertThat(deliverAgain(paid)).isEqualTo(1);

        awaitAllSent();
        assertThat(notifications(paid)).isEmpty();
    }

    @Test
    void twoMessagesOfOnePaymentAreOneNotification() throws Exception {
        Answer paid = pay();
        awaitAllSent();
        jdbc.sql("delete from idempotency.processed_message where message_id = (" + MESSAGE + ")::text")
                .param(paid.text("$.paymentId"))
                .update();

        assertThat(deliverAgain(paid)).isEqualTo(1);

        awaitAllSent();
        assertThat(notifications(paid)).hasSize(1);
    }

    private static final String MESSAGE =
            "select message_id from idempotency.outbox_event where topic = 'payments' and aggregate_id = ?";

    private Answer pay() throws Exception {
        return wallet.pay(reference, new Orders.Order(reference, "alice", 1250).body());
    }

    private static int deliverAgain(Answer paid) {
        return jdbc.sql("""
                        update idempotency.outbox_event
                        set status = 'pending', sent_at = null, expires_at = null, next_attempt_at = clock_timestamp()
                        where topic = 'payments' and aggregate_id = ?""").param(paid.text("$.paymentId")).update();
    }

    private static void awaitAllSent() {
        await().until(() -> jdbc.sql("select count(*) from idempotency.outbox_event where status <> 'sent'")
                        .query(Long.class)
                        .single()
                == 0);
    }

    private static List<String> notifications(Answer paid) {
        return jdbc.sql("select account_id || ': ' || text from sent_notification where payment_id = ?::uuid")
                .param(paid.text("$.paymentId"))
                .query(String.class)
                .list();
    }
}
