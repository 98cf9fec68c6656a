package io.idempotency.proof.shop;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;
import org.springframework.boot.test.context.SpringBootTest;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** The tests of a scenario whose method is leased: its claim and its completion are messages with a COMMIT each. */
@Tag("full")
class LeasedProofTest {

    /** The question whether the key has an answer, the claim and the completion. */
    private static final int STATEMENTS = 3;

    private static final int FAULTS = 11;

    @Test
    void theMessagesOfTheClaimAndOfTheCompletionAreBroken() {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(LeasedScenario.class))
                .execute()
                .testEvents();

        tests.assertStatistics(all -> all.failed(0).aborted(0).succeeded(5 + STATEMENTS * FAULTS));
        List<String> succeeded = tests.succeeded().stream()
                .map(Event::getTestDescriptor)
                .map(TestDescriptor::getDisplayName)
                .toList();
        assertThat(succeeded)
                .contains(
                        "leased: after COMMIT 1 of 2: the process vanished",
                        "leased: after COMMIT 2 of 2: the connection was cut, and its answer was lost");
    }

    @SpringBootTest(
            classes = ShopConfiguration.class,
            properties = {"spring.sql.init.mode=always", "spring.jpa.hibernate.ddl-auto=none"})
    static class LeasedScenario implements IdempotencyProof {

        @IdempotencyScenario
        Object leased(RightShop shop) {
            return shop.leased("key-1");
        }
    }
}
