package io.idempotency.sample.notifications;

import java.util.Locale;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

import io.idempotency.sample.payments.Payment;
import io.idempotency.sample.payments.PaymentAccepted;

/**
 * What customers were sent. A row is all that is sent here; where it is an email, hand its provider {@code
 * IdempotencyContext.current().downstreamKey("email")}.
 */
@Repository
class Notifications {

    /** The inbox knows who was sent a message by this name, whichever way the message came. */
    static final String CONSUMER = "payment-notifications";

    /** The inbox knows messages; that two messages of one payment are one notification is known to the key. */
    private static final String ADD = """
            insert into sent_notification (payment_id, account_id, text)
            values (:paymentId, :accountId, :text)
            on conflict (payment_id) do nothing""";

    private final JdbcClient jdbc;

    Notifications(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void send(PaymentAccepted accepted) {
        Payment payment = accepted.payment();
        add(
                payment.paymentId(),
                payment.accountId(),
                String.format(
                        Locale.ROOT,
                        "%s %s were paid for %s. Your account holds %s %s.",
                        amount(payment.amountCents()),
                        payment.currency(),
                        payment.reference(),
                        amount(accepted.balanceCents()),
                        payment.currency()));
    }

    private void add(UUID paymentId, String accountId, String text) {
        jdbc.sql(ADD)
                .param("paymentId", paymentId)
                .param("accountId", accountId)
                .param("text", text)
                .update();
    }

    private static String amount(long cents) {
        return String.format(Locale.ROOT, "%d.%02d", cents / 100, cents % 100);
    }
}
