package io.idempotency.sample;

import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What customers are told of payments. */
@Tag("full")
class NotificationsTest {

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start("--idempotency.outbox.poll-interval=50ms");

    private static final WalletClient WALLET = SAMPLE.wallet();

    private final String reference = UUID.randomUUID().toString();

    @Test
    void customerIsToldOfAPaymentOnce() throws Exception {
        Answer paid = pay();
        pay();

        SAMPLE.awaitAllSent();
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
        SAMPLE.awaitAllSent();
        SAMPLE.jdbc().update("delete from sent_notification where payment_id = ?::uuid", paid.text("$.paymentId"));

        assertThat(deliverAgain(paid)).isEqualTo(1);

        SAMPLE.awaitAllSent();
        assertThat(notifications(paid)).isEmpty();
    }

    @Test
    void twoMessagesOfOnePaymentAreOneNotification() throws Exception {
        Answer paid = pay();
        SAMPLE.awaitAllSent();
        SAMPLE.jdbc()
                .update(
                        "delete from idempotency.processed_message where message_id = (" + MESSAGE + ")::text",
                        paid.text("$.paymentId"));

        assertThat(deliverAgain(paid)).isEqualTo(1);

        SAMPLE.awaitAllSent();
        assertThat(notifications(paid)).hasSize(1);
    }

    private static final String MESSAGE =
            "select message_id from idempotency.outbox_event where topic = 'payments' and aggregate_id = ?";

    private Answer pay() throws Exception {
        return WALLET.pay(reference, new Orders.Order(reference, "alice", 1250).body());
    }

    private static int deliverAgain(Answer paid) {
        return SAMPLE.jdbc().update("""
                update idempotency.outbox_event
                set status = 'pending', sent_at = null, expires_at = null, next_attempt_at = clock_timestamp()
                where topic = 'payments' and aggregate_id = ?""", paid.text("$.paymentId"));
    }

    private static List<String> notifications(Answer paid) {
        return SAMPLE.texts(
                "select account_id || ': ' || text from sent_notification where payment_id = ?::uuid",
                paid.text("$.paymentId"));
    }
}
