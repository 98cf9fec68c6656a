package io.idempotency.sample.webhooks.stripe;

import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.sample.payments.Settlements;
import io.idempotency.sample.webhooks.IncomingWebhooks;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;

/**
 * Follows invoices, and settles the payment that a paid one names. That an invoice is paid is told by {@code invoice.paid} and
 * by {@code invoice.payment_succeeded}, two events.
 */
@Service
class StripeHandler implements WebhookHandler {

    private static final Logger logger = LoggerFactory.getLogger(StripeHandler.class);

    private static final String PAYMENT_ID = "/data/object/metadata/payment_id";

    private final IncomingWebhooks incoming;

    private final Invoices invoices;

    private final Settlements settlements;

    StripeHandler(IncomingWebhooks incoming, Invoices invoices, Settlements settlements) {
        this.incoming = incoming;
        this.invoices = invoices;
        this.settlements = settlements;
    }

    /** Bodies are not compared: {@code pending_webhooks} in them changes from one delivery to the next. */
    @Override
    @Transactional
    @IdempotentReceiver(consumer = "stripe-webhooks", messageId = "#webhook.id", type = "#webhook.type")
    public @Nullable Long handle(Webhook webhook) {
        if (webhook.type().startsWith("invoice.") && "invoice".equals(webhook.textOrNull("/data/object/object"))) {
            // A preview of the next invoice has no id.
            String invoiceId = webhook.textOrNull("/data/object/id");
            if (invoiceId != null) {
                invoices.advance(invoiceId, webhook.text("/data/object/status"));
            }
            if (webhook.type().equals("invoice.paid")) {
                settlePayment(webhook);
            }
        }
        return incoming.keep(webhook);
    }

    /** Metadata is free text of whoever made the invoice: to refuse what is no id would let Stripe send it for three days. */
    private void settlePayment(Webhook webhook) {
        String paymentId = webhook.textOrNull(PAYMENT_ID);
        if (paymentId == null) {
            return;
        }
        try {
            settlements.settle(UUID.fromString(paymentId));
        } catch (IllegalArgumentException e) {
            logger.warn("stripe event {} names a payment that cannot be one of ours: {}", webhook.id(), paymentId);
        }
    }
}
