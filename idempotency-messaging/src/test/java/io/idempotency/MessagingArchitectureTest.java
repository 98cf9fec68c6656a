package io.idempotency;

import org.junit.jupiter.api.Test;

import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.outbox.OutboxChannel;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.test.ModuleArchitecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/** Where the code of messages lives and what it may import: it is on that of calls. */
class MessagingArchitectureTest extends ModuleArchitecture {

    MessagingArchitectureTest() {
        super("""
            .inbox: . .outbox
            .messaging: . .observation
            .outbox: .
            .internal.inbox:
                . .inbox .messaging .observation .internal.call .internal.call.attempt .internal.call.wait .internal.claim
                .internal.fingerprint .internal.operation .internal.ownership .internal.response .internal.transaction
            .internal.outbox:
                . .codec .inbox .messaging .outbox .internal.backoff .internal.fingerprint .internal.inbox
                .internal.ownership .internal.response
            .internal.resume:
                . .messaging .internal.backoff .internal.claim .internal.fingerprint .internal.response .internal.call .internal.call.attempt
                .internal.operation .internal.outbox .internal.transaction
            .internal.postgres.inbox:
                . .inbox .messaging .internal.claim .internal.fingerprint .internal.response .internal.inbox
                .internal.postgres.jdbc
            .internal.postgres.messaging:
                . .messaging .internal.inbox .internal.outbox .internal.postgres.administration .internal.postgres.inbox
                .internal.postgres.jdbc .internal.postgres.outbox .internal.postgres.partition .internal.postgres.schema
                .internal.retention
            .internal.postgres.outbox:
                . .messaging .outbox .internal.claim .internal.outbox .internal.postgres.jdbc .internal.postgres.request
                .internal.resume .internal.transaction
            .internal.postgres.partition:
                .messaging .internal.postgres.jdbc .internal.postgres.schema .internal.transaction
            """);
    }

    @Test
    void storesAreImplementedInPostgres() {
        classes()
                .that()
                .implement(InboxStore.class)
                .or()
                .implement(OutboxStore.class)
                .or()
                .implement(OutboxChannel.class)
                .should()
                .resideInAPackage(ROOT + ".internal.postgres..")
                .check(module);
    }
}
