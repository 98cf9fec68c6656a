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
 * Messages that come from two processes and by SQL at the moments at which borders between partitions pass, while both
 * processes maintain the partitions.
 */
@Tag("race")
class BordersInTwoJvmsTest {

    private static final int MESSAGES = TestSize.pick(150, 1_000);

    private static final int BORDERS = TestSize.pick(3, 20);

    /** Which transactions a border meets is a matter of chance. */
    private static final int MOST_ROUNDS = TestSize.pick(5, 2);

    private static final Duration BETWEEN_BORDERS = Duration.ofSeconds(1);

    /** Before and after a border. */
    private static final Duration SPREAD = Duration.ofMillis(200);

    private static final int SQL_CLIENTS = 2 * BorderMessages.GROUPS;

    private static final String CONSUME =
            "select idempotency.idempotency_consume('" + BorderMessages.CONSUMER + "', ?)";

    private final AtomicInteger refusedBySeal = new AtomicInteger();

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
                ChildJvm child = ChildJvm.start(database, properties);
                ContractApplication application =
                        ContractApplication.start(database, List.of(BorderMessages.class), properties)) {
            database.jdbc().execute(BorderMessages.CREATE_EFFECTS);
            child.awaitReady();
            partition(database.jdbc());

            int rounds = 0;
            do {
                deliver(application, child, database, isolation);
                rounds++;
            } while (rounds < MOST_ROUNDS
                    && (List.of(ours, theirs, bySql).contains(List.of())
                            || transactionsOverABorder(database.jdbc()) == 0
                            || repeats(application, child) == 0));

            assertThat(database.jdbc()
                            .queryForList("select message_id from effect group by 1 having count(*) > 1", String.class))
                    .as("messages that were handled more than once")
                    .isEmpty();
            assertThat(database.jdbc().queryForList("select message_id from effect", String.class))
                    .containsExactlyInAnyOrderElementsOf(ids);
            assertThat(Stream.of(ours, theirs, bySql).flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(application.messageFailures()).isEmpty();
            Awaitility.await("borders that have passed")
                    .until(() -> bordersThatPassed(database.jdbc()), passed -> passed >= BORDERS);
            assertThat(List.of(ours, theirs, bySql)).doesNotContain(List.of());
            assertThat(transactionsOverABorder(database.jdbc())).isPositive();
            assertThat(repeats(application, child))
                    .as("transactions that were repeated")
                    .isPositive();
        }
    }

    /** Messages round some borders that are to come, by everybody. */
    private void deliver(ContractApplication application, ChildJvm child, TestDatabase database, String isolation)
            throws Exception {
        List<String> messages =
                messages(Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(2));
        ids.addAll(messages);
        child.send(Work.DELIVER_AT_BORDERS.with(messages));
        ConcurrentCalls<List<String>> clients =
                ConcurrentCalls.start(SQL_CLIENTS, client -> consume(database, isolation, client, messages));
        ours.addAll(handled(Work.DELIVER_AT_BORDERS.doAll(application::bean, messages)));
        theirs.addAll(handled(child.readAnswers()));
        clients.await().requireAllSucceeded().forEach(bySql::addAll);
    }

    private int repeats(ContractApplication application, ChildJvm child) {
        return refusedBySeal.get() + application.outcomes().retries().size() + child.retries();
    }

    /**
     * While both processes run; with a border each second for longer than all rounds take, so that the maintenance adds no
     * partition of a day before those.
     */
    private static void partition(JdbcTemplate jdbc) {
        Instant firstBorder = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(2);
        List<String> statements = new ArrayList<>();
        statements.add("select idempotency.partition_processed_message('%s', '%s')"
                .formatted(firstBorder.minus(BETWEEN_BORDERS.multipliedBy(10)), firstBorder));
        for (int border = 0; border < MOST_ROUNDS * (BORDERS + 5) + 20; border++) {
            Instant start = firstBorder.plus(BETWEEN_BORDERS.multipliedBy(border));
            statements.add("select idempotency.add_processed_message_partition('%s', '%s')"
                    .formatted(start, start.plus(BETWEEN_BORDERS)));
        }
        jdbc.execute(String.join("; ", statements));
    }

    private static List<String> messages(Instant firstBorder) {
        int perBorder = MESSAGES / BORDERS;
        return IntStream.range(0, MESSAGES)
                .mapToObj(number -> {
                    Instant border = firstBorder.plus(BETWEEN_BORDERS.multipliedBy(number / perBorder));
                    Duration since =
                            SPREAD.multipliedBy(2L * (number % perBorder)).dividedBy(perBorder);
                    return BorderMessages.id(border.minus(SPREAD).plus(since), number);
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
            for (String id : BorderMessages.of(client, ids)) {
                BorderMessages.awaitTurn(client, id);
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
                    PreparedStatement effect = connection.prepareStatement(BorderMessages.MAKE_EFFECT)) {
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
                if (failure.getMessage().contains("was sealed")) {
                    refusedBySeal.incrementAndGet();
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

    private static int bordersThatPassed(JdbcTemplate jdbc) {
        return jdbc.queryForObject("""
                select count(*)
                from idempotency.storage_partition
                where parent = 'processed_message' and sealed_at is not null and starts_at > '-infinity'""", Integer.class);
    }

    private static int transactionsOverABorder(JdbcTemplate jdbc) {
        return jdbc.queryForObject("""
                select count(*)
                from effect as e
                join idempotency.storage_partition as p on p.ends_at > e.begun and p.ends_at <= e.written""", Integer.class);
    }
}
