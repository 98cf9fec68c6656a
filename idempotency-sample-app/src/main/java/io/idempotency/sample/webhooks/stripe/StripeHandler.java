package io.idempotency.sample.webhooks.stripe;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.sample.webhooks.IncomingWebhooks;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;

/** Follows invoices. A payment is told by {@code invoice.paid} and by {@code invoice.payment_succeeded}, two events. */
@Service
class StripeHandler implements WebhookHandler {

    private final IncomingWebhooks incoming;

    private final Invoices invoices;

    StripeHandler(IncomingWebhooks incoming, Invoices invoices) {
        this.incoming = incoming;
        this.invoices = invoices;
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
        }
        return incoming.keep(webhook);
    }
}
