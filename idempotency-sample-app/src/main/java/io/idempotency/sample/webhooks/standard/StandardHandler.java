package io.idempotency.sample.webhooks.standard;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.sample.webhooks.IncomingWebhooks;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;

/** Follows the address book of the specification's examples. */
@Service
class StandardHandler implements WebhookHandler {

    private final IncomingWebhooks incoming;

    private final Contacts contacts;

    StandardHandler(IncomingWebhooks incoming, Contacts contacts) {
        this.incoming = incoming;
        this.contacts = contacts;
    }

    /** Bodies are not compared: the signature covers the id as well. */
    @Override
    @Transactional
    @IdempotentReceiver(consumer = "standard-webhooks", messageId = "#webhook.id", type = "#webhook.type")
    public @Nullable Long handle(Webhook webhook) {
        switch (webhook.type()) {
            case "contact.created", "contact.updated" ->
                contacts.put(
                        webhook.text("/data/id"),
                        webhook.textOrNull("/data/fullName"),
                        false,
                        webhook.time("/timestamp"));
            case "contact.deleted" -> contacts.put(webhook.text("/data/id"), null, true, webhook.time("/timestamp"));
            default -> {}
        }
        return incoming.keep(webhook);
    }
}
