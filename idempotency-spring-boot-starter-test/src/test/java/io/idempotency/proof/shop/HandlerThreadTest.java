package io.idempotency.proof.shop;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;
import org.springframework.boot.test.context.SpringBootTest;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** On a thread of a library, such as that of a message's handler, the transaction begins and ends outside of the application. */
class HandlerThreadTest {

    @Test
    void theClaimAndTheCommitAreBrokenThereAsWell() {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(HandlerScenario.class))
                .execute()
                .testEvents();

        List<String> succeeded = tests.succeeded().stream()
                .map(Event::getTestDescriptor)
                .map(TestDescriptor::getDisplayName)
                .toList();

        tests.assertStatistics(all -> all.failed(0).aborted(0));
        assertThat(succeeded)
                .contains(
                        "handle: after the library's statement 1 of 1 (`insert into \"idempotency\".processed_message`): the process vanished",
                        "handle: after statement 1 of 1 (`insert into note`): the process vanished",
                        "handle: after COMMIT: the process vanished");
    }

    @SpringBootTest(
            classes = ShopConfiguration.class,
            properties = {"spring.sql.init.mode=always", "spring.jpa.hibernate.ddl-auto=none"})
    static class HandlerScenario implements IdempotencyProof {

        @IdempotencyScenario
        void handle(OutboxSender sender) throws ExecutionException, InterruptedException {
            sender.send(new OutboxRecord(
                            new UUID(0, 1),
                            "notes",
                            "NoteTaken",
                            null,
                            null,
                            null,
                            "\"handled\"",
                            Map.of(),
                            null,
                            Instant.EPOCH,
                            Instant.EPOCH,
                            1))
                    .toCompletableFuture()
                    .get();
        }
    }
}
