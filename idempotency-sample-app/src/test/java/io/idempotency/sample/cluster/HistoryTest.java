package io.idempotency.sample.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
class HistoryTest {

    private static final Command DEPOSIT = new Command("deposit-1", Operation.DEPOSIT, "alice", 500, 7L);

    private static final Command PAYMENT = new Command("payment-1", Operation.PAYMENT, "bob", 100, null);

    @TempDir
    private Path directory;

    @Test
    void isInItsFileAsItHappens() throws IOException {
        Path path = directory.resolve("history.jsonl");
        try (History history = new History(path)) {
            Attempt first = history.begin(1, DEPOSIT, "instance-0");
            Attempt second = history.begin(2, PAYMENT, "instance-1");

            assertThat(History.read(path)).containsExactly(first, second);

            history.end(second, new Answer(Outcome.acknowledged(201, "/payments/1", "{\"amountCents\":100}"), true));

            assertThat(History.read(path)).isEqualTo(history.attempts()).hasSize(2);
            assertThat(history.attempts().get(1).outcome().isAcknowledged()).isTrue();
        }
    }

    @Test
    void leavesOutALineThatIsNotWhole() throws IOException {
        Path path = directory.resolve("history.jsonl");
        try (History history = new History(path)) {
            history.begin(1, DEPOSIT, "instance-0");
        }
        Files.writeString(path, "{\"number\":1,\"cli", StandardOpenOption.APPEND);

        assertThat(History.read(path)).hasSize(1);
    }

    /** The expected value is that of the starter's own test of it, made in Python. */
    @Test
    void knowsDerivedKeys() {
        assertThat(DerivedKey.of("downstream", "order-1", "stripe")).isEqualTo("b9ceef7b-95a8-5859-a660-e24d59db26e9");
    }
}
