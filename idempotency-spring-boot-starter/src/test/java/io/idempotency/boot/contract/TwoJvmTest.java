package io.idempotency.boot.contract;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.boot.contract.SecondJvm.Work;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

/** Two processes that know of each other only through the database. */
@Tag("race")
class TwoJvmTest {

    private static final int RACERS = 32;

    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void duplicatesInTwoJvmsHaveOneEffectAndEqualAnswers(String isolation) throws Exception {
        race(Work.PAY, isolation, equal -> assertThat(equal).hasSize(RACERS).containsOnly(equal.get(0)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void messagesInTwoJvmsAreHandledOnce(String isolation) throws Exception {
        race(
                Work.BOOK,
                isolation,
                answers -> assertThat(answers)
                        .hasSize(RACERS)
                        .filteredOn(answer -> !answer.endsWith(" null"))
                        .singleElement()
                        .asString()
                        .endsWith(" 1"));
    }

    private static void race(Work work, String isolation, ThrowingConsumer<List<String>> answersToOneKey)
            throws Exception {
        List<String> keys = IntStream.range(0, TestSize.pick(50, 1_000))
                .mapToObj(key -> "key-" + key)
                .toList();
        String[] properties = {
            "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation, "idempotency.wait-timeout=30s"
        };
        try (TestDatabase database = TestDatabase.create();
                ChildJvm child = ChildJvm.start(database, properties);
                ContractApplication application =
                        ContractApplication.start(database, List.of(Bookings.class), properties)) {
            child.awaitReady();
            AtomicBoolean started = new AtomicBoolean();
            application.interruption().afterEffectDo(() -> {
                if (started.compareAndSet(false, true)) {
                    child.send(work.with(keys));
                    database.backends().awaitBlocked(1);
                }
            });
            List<String> ours = work.doAll(application::bean, keys);
            List<String> theirs = child.readAnswers();

            Map<String, List<String>> answers = Stream.concat(ours.stream(), theirs.stream())
                    .collect(groupingBy(answer -> answer.substring(0, answer.indexOf(" "))));

            assertThat(answers).containsOnlyKeys(keys);
            assertThat(answers.values()).allSatisfy(answersToOneKey);
            assertThat(application.effects()).isEqualTo(keys.size());
            assertThat(application.spent("a1")).isEqualTo(5L * keys.size());
            assertThat(application.messageFailures()).isEmpty();
            int retries = application.outcomes().retries().size() + child.retries();
            if (isolation.equals("READ_COMMITTED")) {
                assertThat(retries).isZero();
            } else {
                assertThat(retries).isPositive();
            }
        }
    }
}
