package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.inbox.Inbox;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long it takes to claim a batch at once and one by one in one transaction: prints the ratio, because the times depend
 * on the machine. Both are measured in turns, so that they meet the same machine.
 */
@ContractTest
@Tag("race")
@EnabledIfSystemProperty(named = "idempotency.test.size", matches = "long")
class InboxFiguresTest {

    private static final int ROUNDS = 20;

    private static final int MESSAGES = 1_000;

    private final ContractApplication application;

    InboxFiguresTest(ContractApplications applications) {
        application = applications.start(List.of());
    }

    @Test
    void aBatchAgainstSingleClaims() {
        List<Long> batch = new ArrayList<>();
        List<Long> singleBatches = new ArrayList<>();
        List<Long> handled = new ArrayList<>();
        Inbox inbox = application.bean(Inbox.class);
        TransactionTemplate transaction = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        for (int round = 0; round < ROUNDS; round++) {
            String prefix = "round-" + round + "-";
            List<String> ids =
                    IntStream.range(0, MESSAGES).mapToObj(i -> prefix + i).toList();
            batch.add(nanosOf(() -> transaction.executeWithoutResult(
                    status -> assertThat(inbox.claimNew("batch", ids, id -> id)).hasSize(MESSAGES))));
            singleBatches.add(nanosOf(() -> transaction.executeWithoutResult(status ->
                    ids.forEach(id -> assertThat(inbox.claimNew("single", List.of(id), same -> same))
                            .hasSize(1)))));
            handled.add(nanosOf(() -> transaction.executeWithoutResult(status -> ids.forEach(
                    id -> assertThat(inbox.handleOnce("handled", id, () -> {})).isTrue()))));
        }
        assertThat(application.handledMessages()).hasSize(3 * ROUNDS * MESSAGES);
        System.out.printf(
                "FIGURES inbox: %,d ids in one statement = 1.00; one by one in one transaction: claimNew %.1f,"
                        + " handleOnce %.1f (medians of %d rounds in turns)%n",
                MESSAGES, ratio(singleBatches, batch), ratio(handled, batch), ROUNDS);
    }

    private static long nanosOf(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }

    private static double ratio(List<Long> some, List<Long> base) {
        return (double) median(some) / median(base);
    }

    private static long median(List<Long> nanos) {
        List<Long> sorted = new ArrayList<>(nanos);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
