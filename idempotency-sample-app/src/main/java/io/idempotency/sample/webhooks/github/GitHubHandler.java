package io.idempotency.sample.webhooks.github;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.sample.webhooks.IncomingWebhooks;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;

/** Follows issues. */
@Service
class GitHubHandler implements WebhookHandler {

    private final IncomingWebhooks incoming;

    private final Issues issues;

    GitHubHandler(IncomingWebhooks incoming, Issues issues) {
        this.incoming = incoming;
        this.issues = issues;
    }

    /** The id is not signed, so one that comes back with another body is not taken for a duplicate, but refused. */
    @Override
    @Transactional
    @IdempotentReceiver(
            consumer = "github-webhooks",
            messageId = "#webhook.id",
            type = "#webhook.type",
            payload = "#webhook.body")
    public @Nullable Long handle(Webhook webhook) {
        if (webhook.type().equals("issues")) {
            issues.put(new Issue(
                    webhook.text("/repository/full_name"),
                    webhook.number("/issue/number"),
                    webhook.text("/issue/title"),
                    webhook.text("/issue/state"),
                    webhook.time("/issue/updated_at")));
        }
        return incoming.keep(webhook);
    }
}
