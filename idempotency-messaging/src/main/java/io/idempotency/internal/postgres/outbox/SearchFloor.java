package io.idempotency.internal.postgres.outbox;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.postgres.jdbc.TimeColumns;

/**
 * The time before which no message is pending, so that a search need not read all sent ones while a long transaction keeps their index
 * entries. It is a hint: a search in each minute has no floor, and finds what was changed by hand or was late. A floor lets no message
 * overtake an earlier one, because the guards of the order read without it.
 */
final class SearchFloor {

    /** The floor of a full search. */
    static final String NONE = "-infinity";

    private static final long BETWEEN_FULL_SEARCHES = Duration.ofMinutes(1).toNanos();

    /** A transaction that publishes reads the clock before it gets its number. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;

    private @Nullable Instant floor;

    /** A full search whose time becomes the floor when all transactions have ended that had a number then. */
    private @Nullable Search candidate;

    private Instant lastSearchedAt = Instant.MIN;

    private long nextFullSearch;

    SearchFloor(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.nextFullSearch = nanoTime.getAsLong();
    }

    /** Returns from where the next search reads. */
    synchronized From next() {
        Instant known = floor;
        if (known == null || nanoTime.getAsLong() - nextFullSearch >= 0) {
            return new From(NONE, candidate == null);
        }
        return new From(known.toString(), false);
    }

    /**
     * Learns what a search has found.
     *
     * @param from what {@link #next()} has returned for it
     */
    synchronized void learn(From from, Search search) {
        Instant known = floor;
        Search earlier = candidate;
        if (from.time().equals(NONE)) {
            nextFullSearch = nanoTime.getAsLong() + BETWEEN_FULL_SEARCHES;
        } else if (known == null || Instant.parse(from.time()).isAfter(known)) {
            // It has not seen what another search has found below.
            return;
        }
        if (search.at().isBefore(lastSearchedAt)) {
            // The clock was set back.
            known = null;
            earlier = null;
        }
        lastSearchedAt = search.at();
        if (earlier != null && search.oldestOpen() > earlier.transaction()) {
            known = earlier.at().minus(MARGIN);
            earlier = null;
        } else if (earlier == null && from.takesNumber()) {
            earlier = search;
        }
        if (known != null && search.firstPendingAt().isBefore(known)) {
            known = search.firstPendingAt();
        }
        floor = known;
        candidate = earlier;
    }

    /**
     * From where a search reads.
     *
     * @param time a {@code timestamptz}
     * @param takesNumber whether the search takes the number of a transaction, which a snapshot does not show: those of transactions
     *     that are open may be above its xmax
     */
    record From(String time, boolean takesNumber) {}

    /**
     * The result of a search, in one snapshot.
     *
     * @param at its time, which is before the snapshot
     * @param firstPendingAt the time of the first pending message that it has found; at most its own time
     * @param oldestOpen the number below which all transactions have ended
     * @param transaction its own number, which is above those of all that had one before; 0 if it has taken none
     */
    record Search(Instant at, Instant firstPendingAt, long oldestOpen, long transaction) {

        /** Reads the columns of {@link OutboxSql#BEFORE_FIRST}. */
        static Search read(ResultSet row) throws SQLException {
            return new Search(
                    TimeColumns.read(row, "searched_at"),
                    TimeColumns.read(row, "first_pending_at"),
                    row.getLong("oldest_open"),
                    row.getLong("transaction_number"));
        }
    }
}
