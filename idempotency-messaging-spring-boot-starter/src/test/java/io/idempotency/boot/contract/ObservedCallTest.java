package io.idempotency.boot.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.idempotency.Outcome;
import io.idempotency.boot.contract.CallTableTest.Form;
import io.idempotency.boot.contract.CallTableTest.Row;
import io.idempotency.boot.contract.CallTableTest.Transfers;
import io.idempotency.boot.contract.CallTableTest.World;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Each outcome of a call moves its meter by one, and no other, and is one line of the log. */
@ContractTest
class ObservedCallTest {

    private final TestDatabase database;

    private final ContractApplication application;

    private final MeterRegistry registry;

    ObservedCallTest(ContractApplications applications) {
        database = applications.database();
        application = applications.start(List.of(Transfers.class, MeteredApplication.class));
        registry = application.bean(MeterRegistry.class);
    }

    static Stream<Arguments> everyOutcome() {
        return Arrays.stream(Outcome.values()).flatMap(outcome -> {
            List<Arguments> cases = CallTableTest.rowsInTheirForms()
                    .filter(row -> ((Row) row.get()[0]).outcome == outcome)
                    .map(row -> arguments(outcome, row.get()[0], row.get()[1]))
                    .toList();
            assertThat(cases).as("cases of " + outcome).isNotEmpty();
            return cases.stream();
        });
    }

    @ParameterizedTest(name = "{0}: {1}, {2}")
    @MethodSource("everyOutcome")
    void anOutcomeMovesItsMeterByOneAndIsOneLine(Outcome outcome, Row row, Form form) {
        try (World world = new World(application, form);
                LogLines log = LogLines.of("io.idempotency.calls")) {
            row.arrange(world);
            int linesBefore = log.all().size();
            Measurements before = Measurements.of(registry);

            Throwable thrown = catchThrowable(() -> world.call(row.key()));

            String scope = form.scope();
            Map<String, Double> expected = new TreeMap<>();
            expected.put("idempotency.calls outcome=" + outcome.tag() + " scope=" + scope, 1.0);
            if (failedInAnAttempt(outcome)) {
                expected.put(
                        "idempotency.attempt.failures attempt=first exception="
                                + thrown.getClass().getSimpleName() + " scope=" + scope,
                        1.0);
            }
            assertThat(Measurements.of(registry).since(before)).isEqualTo(expected);

            List<ILoggingEvent> lines = log.all();
            assertThat(lines).hasSize(linesBefore + 1);
            assertLine(lines.get(linesBefore), outcome, scope, thrown);
        }
    }

    @Test
    void theTimeIsThatOfTheCall() {
        try (World world = new World(application, Form.TRANSACTIONAL)) {
            world.call(CallTableTest.KEY);

            assertThat(registry.get("idempotency.calls").timer().totalTime(TimeUnit.MICROSECONDS))
                    .isPositive();
        }
    }

    private void assertLine(ILoggingEvent line, Outcome outcome, String scope, Throwable thrown) {
        Map<String, Object> pairs = LogLines.pairsOf(line);
        assertThat(line.getLevel()).isEqualTo(levelOf(outcome));
        assertThat(pairs)
                .containsEntry("scope", scope)
                .containsEntry("outcome", outcome.tag())
                .containsEntry("attempt", attemptOf(outcome))
                .containsKey("duration_ms");
        assertThat(pairs.get("exception"))
                .isEqualTo(thrown == null ? null : thrown.getClass().getName());
        assertThat(line.getThrowableProxy()).isNull();
        if (outcome == Outcome.INVALID_KEY) {
            assertThat(pairs).doesNotContainKey("key_hash");
        } else {
            String hash = database.jdbc()
                    .queryForObject(
                            "select idempotency.idempotency_request_id(?, ?, '')::text",
                            String.class,
                            scope,
                            CallTableTest.KEY);
            assertThat(pairs).containsEntry("key_hash", hash);
            assertThat(line.getFormattedMessage()).startsWith("Call hash:" + hash + " in " + scope + " ");
        }
        assertThat(line.getFormattedMessage() + pairs).doesNotContain(CallTableTest.KEY);
    }

    private static boolean failedInAnAttempt(Outcome outcome) {
        return outcome == Outcome.FAILED || outcome == Outcome.FAILED_FINAL || outcome == Outcome.LEASE_LOST;
    }

    private static int attemptOf(Outcome outcome) {
        return switch (outcome) {
            case EXECUTED, FAILED, FAILED_FINAL, LEASE_LOST -> 1;
            case RECOVERED, RETRIED -> 2;
            default -> 0;
        };
    }

    private static Level levelOf(Outcome outcome) {
        return switch (outcome) {
            case EXECUTED, RETRIED, FAILED -> Level.DEBUG;
            case REPLAYED, FAILURE_REPLAYED, IN_PROGRESS, INVALID_KEY -> Level.INFO;
            case RECOVERED, KEY_REUSED, RESPONSE_EXPIRED, UNREADABLE, ABANDONED, LEASE_LOST, FAILED_FINAL -> Level.WARN;
        };
    }
}
