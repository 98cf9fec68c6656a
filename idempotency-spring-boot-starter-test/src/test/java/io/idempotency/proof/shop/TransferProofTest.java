package io.idempotency.proof.shop;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;
import org.springframework.boot.test.context.SpringBootTest;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** The tests that one scenario of six statements has. */
class TransferProofTest {

    /** The claim, which are two statements, six of the application, the completion, and COMMIT. */
    private static final int STATEMENTS = 10;

    private static final int FAULTS = 11;

    @Test
    void eachStatementIsBrokenInEachWay() {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(TransferScenario.class))
                .execute()
                .testEvents();

        List<String> succeeded = tests.succeeded().stream()
                .map(Event::getTestDescriptor)
                .map(TestDescriptor::getDisplayName)
                .toList();

        tests.assertStatistics(all -> all.failed(0).aborted(0).succeeded(6 + STATEMENTS * FAULTS));
        assertThat(tests.succeeded().map(event -> event.getTestDescriptor().getSource()))
                .as("Maven names a test whose source is a method by the method and a number")
                .noneMatch(
                        source -> source.filter(MethodSource.class::isInstance).isPresent());
        assertThat(succeeded)
                .startsWith(
                        "transfer: clean run",
                        "transfer: repeat",
                        "transfer: repeat with another payload",
                        "transfer: eight at once",
                        "transfer: second instance",
                        "transfer: one transaction")
                .contains(
                        "transfer: before statement 6 of 6 (`insert into audit`): the backend was terminated",
                        "transfer: after statement 6 of 6 (`insert into audit`): the backend was terminated",
                        "transfer: before COMMIT: the connection was cut, and the server never saw it",
                        "transfer: after COMMIT: the connection was cut, and its answer was lost");
    }

    @SpringBootTest(
            classes = ShopConfiguration.class,
            properties = {
                "spring.sql.init.mode=always",
                "spring.jpa.hibernate.ddl-auto=none",
                // Samples are taken beside the runs, and would count as statements of them.
                "idempotency.sample-interval=5ms"
            })
    static class TransferScenario implements IdempotencyProof {

        @IdempotencyScenario
        Object transfer(RightShop shop, Payload amount) {
            return shop.transfer("key-1", amount.either(100L, 101L));
        }
    }
}
