package io.idempotency.boot.contract;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.IdempotencyOperations;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** A write, which is one message with its claim and its COMMIT, wherever its connection is cut. */
@ContractTest
@Tag("full")
class ClaimWithCommitTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private static final String INSERT = "into \"idempotency\".idempotency_request";

    private final CuttingProxy proxy;

    private final ContractApplication application;

    private final ContractApplication other;

    ClaimWithCommitTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of(Desk.class));
        other = applications.start(List.of(Desk.class));
    }

    @Test
    void aMessageThatIsCutAtAnyByteHasOneEffectAndOneAnswer() {
        int step = TestSize.pick(97, 1);
        int rounds = 0;
        for (int bytes = 0; bytes == 0 || bytes < proxy.lengthOfLastCut() + step; bytes += step) {
            String key = "bytes-" + bytes;
            proxy.cutNextWithin(INSERT, bytes);

            Receipt answer = application.bean(Desk.class).write(key);

            assertThat(application.bean(Desk.class).write(key)).isEqualTo(answer);
            assertThat(other.bean(Desk.class).write(key)).isEqualTo(answer);
            rounds++;
        }
        assertThat(proxy.cuts()).isEqualTo(rounds);
        assertThat(application.effects()).isEqualTo(rounds);
        assertThat(application.spent("a1")).isEqualTo(5L * rounds);
        assertThat(application.outcomes().retries())
                .as("the last message was sent as a whole, so that its answer may arrive")
                .hasSizeBetween(rounds - 1, rounds);
        assertThat(rounds * step).isGreaterThan(500);
    }

    static class Desk extends PayingBean {

        private final IdempotencyOperations operations;

        Desk(IdempotencyOperations operations) {
            this.operations = operations;
        }

        public Receipt write(String key) {
            Receipt receipt = Receipt.of(COMMAND);
            return operations
                    .write("desk-writes", key, "same")
                    .statement(
                            "insert into payment (id, account, cents) values (:id, 'a1', 5)",
                            Map.of("id", receipt.paymentId()))
                    .statement("update account set cents = cents - 5 where name = 'a1'", Map.of())
                    .expectRows(1)
                    .respond(Receipt.class, receipt);
        }
    }
}
