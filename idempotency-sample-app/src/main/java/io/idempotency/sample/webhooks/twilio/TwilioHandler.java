package io.idempotency.sample.webhooks.twilio;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.sample.webhooks.IncomingWebhooks;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;

/** Follows text messages and calls, whose statuses do not come in order. */
@Service
class TwilioHandler implements WebhookHandler {

    private final IncomingWebhooks incoming;

    private final Communications communications;

    TwilioHandler(IncomingWebhooks incoming, Communications communications) {
        this.incoming = incoming;
        this.communications = communications;
    }

    /** Bodies are not compared: the id has the status in it, and what else is in a body is subject to change. */
    @Override
    @Transactional
    @IdempotentReceiver(consumer = "twilio-webhooks", messageId = "#webhook.id", type = "#webhook.type")
    public @Nullable Long handle(Webhook webhook) {
        // The id is both, so that each status is an event of its own.
        int colon = webhook.id().lastIndexOf(':');
        communications.advance(webhook.id().substring(0, colon), webhook.id().substring(colon + 1));
        return incoming.keep(webhook);
    }
}
