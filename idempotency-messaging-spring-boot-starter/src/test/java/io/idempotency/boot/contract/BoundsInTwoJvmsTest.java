package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.contract.SecondJvm.Work;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages that come from two processes and by SQL at the moments at which bounds between partitions pass, while both
 * processes maintain the partitions.
 */
@Tag("race")
@Tag("full")
class BoundsInTwoJvmsTest {

    private static final int MESSAGES = TestSize.pick(150, 1_000);

    private static final int BOUNDS = TestSize.pick(3, 20);

    /** Which transactions a bound meets is a matter of chance. */
    private static final int MOST_ROUNDS = TestSize.pick(5, 2);

    private static final Duration BETWEEN_BOUNDS = Duration.ofSeconds(1);

    /** Before and after a bound. */
    private static final Duration SPREAD = Duration.ofMillis(200);

    private static final int SQL_CLIENTS = 2 * BoundMessages.GROUPS;

    private static final String CONSUME = "select idempotency.idempotency_consume('" + BoundMessages.CONSUMER + "', ?)";

    private final AtomicInteger refusedByClosing = new AtomicInteger();

    private final List<String> ids = new ArrayList<>();

    private final List<String> ours = new ArrayList<>();

    private final List<String> theirs = new ArrayList<>();

    private final List<String> bySql = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ"})
    void everyMessageHasOneEffect(String isolation) throws Exception {
        String[] properties = {
            "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation,
            "idempotency.wait-timeout=30s",
            "idempotency.storage.maintenance-interval=10ms"
        };
        try (TestDatabase database = TestDatabase.create();
                ContractApplications applications = new ContractApplications(database);
                ChildJvm child = ChildJvm.start(database, properties)) {
            ContractApplication application = applications.start(List.of(BoundMessages.class), properties);
            database.jdbc().execute(BoundMessages.CREATE_EFFECTS);
            child.awaitReady();
            partition(database.jdbc());

            int rounds = 0;
            do {
                deliver(application, child, database, isolation);
                rounds++;
            } while (rounds < MOST_ROUNDS
                    && (List.of(ours, theirs, bySql).contains(List.of())
                            || transactionsOverABound(database.jdbc()) == 0
                            || repeats(application, child) == 0));

            assertThat(database.jdbc()
                            .queryForList("select message_id from effect group by 1 having count(*) > 1", String.class))
                    .as("messages that were handled more than once")
                    .isEmpty();
            assertThat(database.jdbc().queryForList("select message_id from effect", String.class))
                    .containsExactlyInAnyOrderElementsOf(ids);
            assertThat(Stream.of(ours, theirs, bySql).flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(application.messageFailures()).isEmpty();
            Awaitility.await("bounds that have passed")
                    .until(() -> boundsThatPassed(database.jdbc()), passed -> passed >= BOUNDS);
            assertThat(List.of(ours, theirs, bySql)).doesNotContain(List.of());
            assertThat(transactionsOverABound(database.jdbc())).isPositive();
            assertThat(repeats(application, child))
                    .as("transactions that were repeated")
                    .isPositive();
        }
    }

    /** Messages round some bounds that are to come, by everybody. */
    private void deliver(ContractApplication application, ChildJvm child, TestDatabase database, String isolation)
            throws Exception {
        List<String> messages =
                messages(Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(2));
        ids.addAll(messages);
        child.send(Work.DELIVER_AT_BOUNDS.with(messages));
        ConcurrentCalls<List<String>> clients =
                ConcurrentCalls.start(SQL_CLIENTS, client -> consume(database, isolation, client, messages));
        ours.addAll(handled(Work.DELIVER_AT_BOUNDS.doAll(application::bean, messages)));
        theirs.addAll(handled(child.readAnswers()));
        clients.await().requireAllSucceeded().forEach(bySql::addAll);
    }

    private int repeats(ContractApplication application, ChildJvm child) {
        return refusedByClosing.get() + application.outcomes().retries().size() + child.retries();
    }

    /**
     * While both processes run; with a bound each second for longer than all rounds take, so that the maintenance adds no
     * partition of a day before those.
     */
    private static void partition(JdbcTemplate jdbc) {
        Instant firstBound = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(2);
        List<String> statements = new ArrayList<>();
        statements.add("select idempotency.partition_processed_message('%s', '%s')"
                .formatted(firstBound.minus(BETWEEN_BOUNDS.multipliedBy(10)), firstBound));
        for (int bound = 0; bound < MOST_ROUNDS * (BOUNDS + 5) + 20; bound++) {
            Instant start = firstBound.plus(BETWEEN_BOUNDS.multipliedBy(bound));
            statements.add("select idempotency.add_processed_message_partition('%s', '%s')"
                    .formatted(start, start.plus(BETWEEN_BOUNDS)));
        }
        jdbc.execute(String.join("; ", statements));
    }

    private static List<String> messages(Instant firstBound) {
        int perBound = MESSAGES / BOUNDS;
        return IntStream.range(0, MESSAGES)
                .mapToObj(number -> {
                    Instant bound = firstBound.plus(BETWEEN_BOUNDS.multipliedBy(number / perBound));
                    Duration since =
                            SPREAD.multipliedBy(2L * (number % perBound)).dividedBy(perBound);
                    return BoundMessages.id(bound.minus(SPREAD).plus(since), number);
                })
                .toList();
    }

    private List<String> consume(TestDatabase database, String isolation, int client, List<String> ids)
            throws SQLException {
        List<String> handled = new ArrayList<>();
        try (Connection connection = database.connection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(
                    isolation.equals("READ_COMMITTED")
                            ? Connection.TRANSACTION_READ_COMMITTED
                            : Connection.TRANSACTION_REPEATABLE_READ);
            for (String id : BoundMessages.of(client, ids)) {
                BoundMessages.awaitTurn(client, id);
                if (consume(connection, id)) {
                    handled.add(id);
                }
            }
        }
        return handled;
    }

    private boolean consume(Connection connection, String id) throws SQLException {
        while (true) {
            try (PreparedStatement consume = connection.prepareStatement(CONSUME);
                    PreparedStatement effect = connection.prepareStatement(BoundMessages.MAKE_EFFECT)) {
                consume.setString(1, id);
                boolean isNew;
                try (ResultSet row = consume.executeQuery()) {
                    row.next();
                    isNew = row.getBoolean(1);
                }
                if (isNew) {
                    effect.setString(1, id);
                    effect.executeUpdate();
                }
                connection.commit();
                return isNew;
            } catch (SQLException failure) {
                connection.rollback();
                if (!"40001".equals(failure.getSQLState())) {
                    throw failure;
                }
                if (failure.getMessage().contains("was closed")) {
                    refusedByClosing.incrementAndGet();
                }
            }
        }
    }

    private static List<String> handled(List<String> answers) {
        return answers.stream()
                .filter(answer -> answer.endsWith(" handled"))
                .map(answer -> answer.substring(0, answer.indexOf(" ")))
                .toList();
    }

    private static int boundsThatPassed(JdbcTemplate jdbc) {
        return jdbc.queryForObject("""
                select count(*)
                from idempotency.processed_message_partition
                where closed_at is not null and starts_at > '-infinity'""", Integer.class);
    }

    private static int transactionsOverABound(JdbcTemplate jdbc) {
        return jdbc.queryForObject("""
                select count(*)
                from effect as e
                join idempotency.processed_message_partition as p on p.ends_at > e.begun and p.ends_at <= e.written""", Integer.class);
    }
}
