package io.idempotency.sample;

import java.util.UUID;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Invoices that are paid settle payments. */
@Tag("full")
class SettlementTest {

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start();

    private static final WalletClient WALLET = SAMPLE.wallet();

    private final String key = UUID.randomUUID().toString();

    @Test
    void paidInvoiceSettlesItsPaymentOnce() throws Exception {
        Answer paid = pay();
        String paymentId = paid.text("$.paymentId");

        assertThat(send("evt_1" + key, "invoice.paid", paymentId).status()).isEqualTo(204);

        assertThat(status(paymentId)).isEqualTo("SETTLED");
        String settled = settlement(paymentId);
        assertThat(send("evt_2" + key, "invoice.paid", paymentId).status())
                .as("another event that says the same")
                .isEqualTo(204);
        assertThat(settlement(paymentId)).isEqualTo(settled);
        assertThat(WALLET.get("/payments?accountId=alice").body())
                .contains(paid.body().replace("COMPLETED", "SETTLED"));
        assertThat(pay()).as("the answer of the payment stays").isEqualTo(paid.asReplay());
    }

    @Test
    void otherInvoicesAndOtherEventsSettleNothing() throws Exception {
        String paymentId = pay().text("$.paymentId");

        send("evt_1" + key, "invoice.finalized", paymentId);
        send("evt_2" + key, "invoice.paid", UUID.randomUUID().toString());

        assertThat(status(paymentId)).isEqualTo("COMPLETED");
    }

    @Test
    void invoiceThatIsPaidBeforeThePaymentIsKnownSettlesItLater() throws Exception {
        UUID paymentId = UUID.randomUUID();

        assertThat(send("evt_1" + key, "invoice.paid", paymentId.toString()).status())
                .isEqualTo(204);
        assertThat(WALLET.get("/payments/" + paymentId).status()).isEqualTo(404);
        SAMPLE.jdbc().update("""
                insert into payment (payment_id, account_id, amount_cents, currency, reference, status)
                values (?, 'alice', 500, 'EUR', 'late', 'COMPLETED')""", paymentId);

        assertThat(status(paymentId.toString())).isEqualTo("SETTLED");
    }

    @Test
    void metadataThatIsNoPaymentIsKeptAndLeftAlone() throws Exception {
        assertThat(send("evt_1" + key, "invoice.paid", "order 42").status()).isEqualTo(204);

        assertThat(SAMPLE.count("incoming_webhook where event_id = ?", "evt_1" + key))
                .isEqualTo(1);
    }

    private Answer pay() throws Exception {
        return WALLET.pay(key, new Orders.Order(key, "alice", 1250).body());
    }

    private static Answer send(String eventId, String type, String paymentId) throws Exception {
        return WebhookDelivery.stripe(
                        """
                        {"id":"%s","object":"event","type":"%s","data":{"object":{"id":"in_%s","object":"invoice",
                        "status":"%s","metadata":{"payment_id":"%s"}}}}""".formatted(eventId, type, eventId, type.equals("invoice.paid") ? "paid" : "open", paymentId))
                .sendTo(SAMPLE.url());
    }

    private static String status(String paymentId) throws Exception {
        return WALLET.get("/payments/" + paymentId).text("$.status");
    }

    private static String settlement(String paymentId) {
        return SAMPLE.jdbc()
                .queryForObject(
                        "select xmin::text || settled_at from payment_settlement where payment_id = ?::uuid",
                        String.class,
                        paymentId);
    }
}
