package io.idempotency.sample.accounts;

import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** All events of all accounts, to be read from the start. */
@Repository
public class AccountEventStream {

    private static final String FIND_AFTER = """
            select *
            from account_event
            where sequence > :sequence
            order by sequence
            limit :limit""";

    private final JdbcClient jdbc;

    AccountEventStream(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Reads on. The events of one account come in their order; an event whose transaction commits late may come to stand
     * before what was read already, and is not read any more.
     *
     * @param sequence of the last event that was read; 0 for the start
     * @param limit how many at most
     * @return what follows
     */
    public List<Entry> readAfter(long sequence, int limit) {
        return jdbc.sql(FIND_AFTER)
                .param("sequence", sequence)
                .param("limit", limit)
                .query((row, rowNumber) -> new Entry(row.getLong("sequence"), AccountEvents.map(row, rowNumber)))
                .list();
    }

    /**
     * An event and its place.
     *
     * @param sequence the place in the stream
     * @param event the event
     */
    public record Entry(long sequence, AccountEvent event) {}
}
