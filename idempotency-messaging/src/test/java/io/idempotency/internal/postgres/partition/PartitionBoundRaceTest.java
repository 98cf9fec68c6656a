package io.idempotency.internal.postgres.partition;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.PartitionedMessages;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static io.idempotency.internal.postgres.Deliveries.message;
import static org.assertj.core.api.Assertions.assertThat;

/** Messages come several times, one by one, in batches and by plain SQL, while bounds between partitions pass. */
@PostgresTest
@Tag("race")
@Tag("full")
class PartitionBoundRaceTest {

    private static final String SERIALIZATION_FAILURE = "40001";

    private static final String PLAIN_INSERT = """
            insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
            values ('invoices', ?, now(), now() + interval '14 days')
            on conflict do nothing""";

    /** Bounds that pass while messages come. */
    private static final int BOUNDS = TestSize.pick(3, 30);

    private static final int BATCH = 10;

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger repeats = new AtomicInteger();

    PartitionBoundRaceTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read"})
    void everyMessageHasOneEffect(String isolation) {
        admin.execute("drop schema if exists idempotency cascade; drop table if exists effect;"
                + " create table effect (message_id text)");
        PartitionedMessages messages = PartitionedMessages.in(database, PartitionPeriod.of(Duration.ofSeconds(1)));

        List<Callable<Integer>> parties = new ArrayList<>(List.of(
                () -> one(isolation, "0"),
                () -> one(isolation, "0.01"),
                () -> batches(isolation, "0"),
                () -> batches(isolation, "0.02"),
                () -> plain(isolation, "0.005"),
                () -> {
                    try {
                        for (int bound = 0; bound < BOUNDS; bound++) {
                            messages.passBound();
                        }
                    } finally {
                        over.set(true);
                    }
                    return 0;
                }));
        List<Integer> handled = ConcurrentCalls.run(parties).requireAllSucceeded();

        int effects = admin.queryForObject("select count(*) from effect", Integer.class);
        assertThat(effects)
                .isEqualTo(handled.stream().mapToInt(Integer::intValue).sum());
        assertThat(admin.queryForList("select message_id from effect group by 1 having count(*) > 1", String.class))
                .as("messages that were handled more than once")
                .isEmpty();
        assertThat(admin.queryForObject("select count(distinct message_id) from effect", Integer.class))
                .isEqualTo(admin.queryForObject("select count(*) from idempotency.processed_message", Integer.class));
        assertThat(admin.queryForList("""
                        select tableoid::regclass from idempotency.processed_message group by 1""")).hasSizeGreaterThanOrEqualTo(BOUNDS);
        assertThat(repeats).as("transactions that met a closed partition").hasPositiveValue();
    }

    /** Message after message, as long as bounds pass; who is slower meets what others have handled before the bound. */
    private int one(String isolation, String pause) throws SQLException {
        return handle(
                isolation,
                pause,
                1,
                (deliveries, ids) ->
                        deliveries.claim(message(ids.get(0))).kind() == InboxResult.Kind.NEW ? ids : List.of());
    }

    private int batches(String isolation, String pause) throws SQLException {
        return handle(isolation, pause, BATCH, Deliveries::claimNew);
    }

    private int plain(String isolation, String pause) throws SQLException {
        return handle(isolation, pause, 1, (deliveries, ids) -> {
            try (PreparedStatement insert = deliveries.connection().prepareStatement(PLAIN_INSERT)) {
                insert.setString(1, ids.get(0));
                return insert.executeUpdate() == 1 ? ids : List.of();
            }
        });
    }

    private int handle(String isolation, String pause, int size, Handling handling) throws SQLException {
        int handled = 0;
        try (Connection connection = database.connection();
                Deliveries deliveries = new Deliveries(connection)) {
            deliveries
                    .execute("set session characteristics as transaction isolation level " + isolation)
                    .commit();
            for (int from = 0; !over.get(); ) {
                List<String> ids = IntStream.range(from, from + size)
                        .mapToObj(id -> "m-" + id)
                        .toList();
                try {
                    deliveries.execute("select pg_sleep(" + pause + ")");
                    List<String> received = handling.receive(deliveries, ids);
                    for (String id : received) {
                        deliveries.execute("insert into effect values ('" + id + "')");
                    }
                    deliveries.execute("select pg_sleep(" + pause + ")");
                    deliveries.commit();
                    handled += received.size();
                    from += size;
                } catch (SQLException | DataAccessException failure) {
                    requireSerializationFailure(failure);
                    deliveries.rollback();
                }
            }
        }
        return handled;
    }

    private void requireSerializationFailure(Exception failure) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
        assertThat(cause).isInstanceOf(SQLException.class);
        assertThat(((SQLException) cause).getSQLState()).as("%s", cause).isEqualTo(SERIALIZATION_FAILURE);
        if (cause.getMessage().contains("was closed")) {
            repeats.incrementAndGet();
        }
    }

    private interface Handling {

        List<String> receive(Deliveries deliveries, List<String> ids) throws SQLException;
    }
}
