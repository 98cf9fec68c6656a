package io.idempotency.sample.patterns;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A projection remembers how far it has read a table of events. Their serial ids do not become visible in their order,
 * and neither do those of transactions.
 *
 * @see <a href="https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT">Transaction ID and
 *     Snapshot Information Functions</a>
 */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class CheckpointTest {

    private static final String READ_BY_POSITION = """
            select transaction_id::text::bigint as transaction_id, position
            from event_log
            where position > ?
            order by position""";

    private static final String READ = """
            select transaction_id::text::bigint as transaction_id, position
            from event_log
            where (transaction_id, position) > (?::text::xid8, ?)
              and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
            order by transaction_id, position""";

    private static final RowMapper<Event> EVENT = (row, number) -> new Event(row.getLong(1), row.getLong(2));

    private static final int WRITERS = 8;

    private static final int EVENTS_OF_EACH = 100;

    private final JdbcTemplate jdbc;

    private final TransactionTemplate transaction;

    CheckpointTest(TestDatabase database) {
        jdbc = new JdbcTemplate(database.dataSource(WRITERS + 2));
        transaction = new TransactionTemplate(new JdbcTransactionManager(jdbc.getDataSource()));
    }

    @BeforeAll
    void createTable() {
        jdbc.execute("""
                create table event_log (
                    position bigint generated always as identity primary key,
                    transaction_id xid8 not null default pg_current_xact_id())""");
    }

    @BeforeEach
    void empty() {
        jdbc.execute("truncate event_log restart identity");
    }

    @Test
    void whoReadsByPositionMissesWhatCommitsLater() {
        Projection projection = new Projection();

        List<Event> seen = new ArrayList<>();
        transaction.executeWithoutResult(first -> {
            append();
            ConcurrentCalls.run(1, () -> {
                        append();
                        seen.addAll(projection.readByPosition());
                    })
                    .requireAllSucceeded();
        });
        seen.addAll(projection.readByPosition());

        assertThat(seen.stream().map(Event::position)).containsExactly(2L);
        assertThat(jdbc.queryForList("select position from event_log order by 1", Long.class))
                .containsExactly(1L, 2L);
    }

    @Test
    void whoReadsBehindAllOpenTransactionsMissesNothing() {
        Projection projection = new Projection();

        List<Event> seen = new ArrayList<>();
        transaction.executeWithoutResult(first -> {
            append();
            ConcurrentCalls.run(1, () -> {
                        append();
                        assertThat(projection.read()).isEmpty();
                    })
                    .requireAllSucceeded();
        });
        seen.addAll(projection.read());

        assertThat(seen.stream().map(Event::position)).containsExactly(1L, 2L);
    }

    @Test
    void anIdThatIsTakenLaterByAnEarlierTransactionIsNotMissedEither() {
        Projection projection = new Projection();

        List<Event> seen = new ArrayList<>();
        transaction.executeWithoutResult(first -> {
            jdbc.queryForObject("select pg_current_xact_id()::text", String.class);
            ConcurrentCalls.run(
                            1,
                            () -> transaction.executeWithoutResult(second -> {
                                append();
                                seen.addAll(projection.read());
                            }))
                    .requireAllSucceeded();
            append();
        });
        seen.addAll(projection.read());

        assertThat(seen.stream().map(Event::position)).containsExactly(2L, 1L);
    }

    @Test
    @Tag("race")
    void nothingIsMissedOrReadTwiceWhileManyWrite() {
        Projection projection = new Projection();
        ConcurrentCalls<Void> writers = ConcurrentCalls.start(
                WRITERS,
                () -> IntStream.range(0, EVENTS_OF_EACH)
                        .forEach(event -> transaction.executeWithoutResult(status -> {
                            append();
                            append();
                        })));

        List<Event> seen = new ArrayList<>();
        while (seen.size() < 2 * WRITERS * EVENTS_OF_EACH / 2) {
            seen.addAll(projection.read());
        }
        writers.await().requireAllSucceeded();
        seen.addAll(projection.read());

        assertThat(seen).hasSize(2 * WRITERS * EVENTS_OF_EACH).doesNotHaveDuplicates();
    }

    private void append() {
        jdbc.update("insert into event_log default values");
    }

    record Event(long transactionId, long position) {}

    /** How far it has read. */
    private final class Projection {

        private Event last = new Event(0, 0);

        List<Event> readByPosition() {
            return advance(jdbc.query(READ_BY_POSITION, EVENT, last.position()));
        }

        List<Event> read() {
            return advance(jdbc.query(READ, EVENT, Long.toString(last.transactionId()), last.position()));
        }

        private List<Event> advance(List<Event> events) {
            if (!events.isEmpty()) {
                last = events.get(events.size() - 1);
            }
            return events;
        }
    }
}
