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
@Tag("citus")
@Tag("race")
@Tag("full")
class TwoJvmTest {

    private static final int RACERS = 32;

    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void duplicatesInTwoJvmsHaveOneEffectAndEqualAnswersAndMessagesAreHandledOnce(String isolation) throws Exception {
        String[] properties = {
            "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation, "idempotency.wait-timeout=30s"
        };
        try (TestDatabase database = TestDatabase.create();
                ContractApplications applications = new ContractApplications(database);
                ChildJvm child = ChildJvm.start(database, properties)) {
            ContractApplication application = applications.start(List.of(Bookings.class), properties);
            child.awaitReady();

            race(
                    application,
                    child,
                    Work.PAY,
                    isolation,
                    equal -> assertThat(equal).hasSize(RACERS).containsOnly(equal.get(0)));
            applications.clear();
            race(
                    application,
                    child,
                    Work.BOOK,
                    isolation,
                    answers -> assertThat(answers)
                            .hasSize(RACERS)
                            .filteredOn(answer -> !answer.endsWith(" null"))
                            .singleElement()
                            .asString()
                            .endsWith(" 1"));
        }
    }

    private static void race(
            ContractApplication application,
            ChildJvm child,
            Work work,
            String isolation,
            ThrowingConsumer<List<String>> answersToOneKey)
            throws Exception {
        List<String> keys = IntStream.range(0, TestSize.pick(50, 1_000))
                .mapToObj(key -> "key-" + key)
                .toList();
        int retriesBefore = child.retries();
        AtomicBoolean started = new AtomicBoolean();
        application.interruption().afterEffectDo(() -> {
            if (started.compareAndSet(false, true)) {
                child.send(work.with(keys));
                application.database().backends().awaitBlocked(1);
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
        int retries = application.outcomes().retries().size() + child.retries() - retriesBefore;
        if (isolation.equals("READ_COMMITTED")) {
            assertThat(retries).isZero();
        } else {
            assertThat(retries).isPositive();
        }
    }
}
