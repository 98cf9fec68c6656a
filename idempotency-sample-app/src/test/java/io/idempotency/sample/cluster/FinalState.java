package io.idempotency.sample.cluster;

import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What the database and the provider hold when all is quiet.
 *
 * @param shown balances as clients see them, whichever instance they ask
 * @param projected balances of the serving generation of the projection
 */
record FinalState(
        List<Event> events,
        List<RecordedFailure> failures,
        List<Balance> shown,
        List<Balance> projected,
        List<DailyTotals> totals,
        List<Message> outbox,
        List<Receipt> receipts,
        List<Transfer> transfers,
        List<Payment> payments,
        List<Notification> notifications,
        List<KeptWebhook> webhooks,
        List<Invoice> invoices,
        List<Settlement> settlements) {

    /**
     * A change of an account.
     *
     * @param amountCents what it adds to the balance
     * @param balanceCents behind it
     * @param paymentId of a payment, otherwise {@code null}
     * @param scope of the command that its audit entry names; {@code null} if it has none
     * @param key of that command
     */
    record Event(
            UUID eventId,
            String accountId,
            long version,
            String type,
            long amountCents,
            long balanceCents,
            UUID paymentId,
            String scope,
            String key) {

        static final String OPENED = "opened";

        static final String PAYOUT_RETURNED = "payout-returned";

        private static final Set<String> FIRST_ACCOUNTS = Set.of("alice", "bob");

        /** Whether it is there from the start: of those nobody is told, and no command is named. */
        boolean isFirst() {
            return type.equals(OPENED) && FIRST_ACCOUNTS.contains(accountId) && scope == null && key == null;
        }

        boolean isPayment() {
            return type.equals(Operation.PAYMENT.eventType());
        }
    }

    /** A key whose command will never be executed. */
    record RecordedFailure(String scope, String key, String code) {}

    record Balance(String accountId, long version, long balanceCents) {}

    /** Sums over all days, each of them positive. */
    record DailyTotals(String accountId, long depositCents, long withdrawalCents, long paymentCents) {

        long net() {
            return depositCents - withdrawalCents - paymentCents;
        }
    }

    /**
     * A message of the outbox.
     *
     * @param accountId that it tells of
     * @param content hash of its payload
     */
    record Message(String messageId, String topic, String accountId, String status, String content) {

        static final String EVENTS = "account-events";

        static final String PAYMENTS = "payments";

        static final String SENT = "sent";
    }

    /**
     * A message that a consumer has handled.
     *
     * @param content hash of what it handled
     */
    record Receipt(String consumer, String messageId, String content) {}

    /** What the provider has paid out. */
    record Transfer(String key, String accountId, long amountCents) {}

    /**
     * A payment beside its event.
     *
     * @param reference the key of its command: clients send it twice
     */
    record Payment(UUID paymentId, String accountId, long amountCents, String reference) {

        static Payment of(Event paid) {
            return new Payment(paid.paymentId(), paid.accountId(), -paid.amountCents(), paid.key());
        }
    }

    /** What the customer was sent. */
    record Notification(UUID paymentId, String accountId, String text) {

        static Notification of(Event paid) {
            String text = "%s EUR were paid for %s. Your account holds %s EUR."
                    .formatted(euros(-paid.amountCents()), paid.key(), euros(paid.balanceCents()));
            return new Notification(paid.paymentId(), paid.accountId(), text);
        }

        private static String euros(long cents) {
            return BigDecimal.valueOf(cents, 2).toPlainString();
        }
    }

    /** A webhook that was handled. */
    record KeptWebhook(String eventId, String type) {}

    record Invoice(String invoiceId, String status) {}

    /** Without it a payment is only completed. */
    record Settlement(UUID paymentId) {}
}
