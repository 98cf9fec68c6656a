package io.idempotency.postgres;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.idempotency.retention.LeafLength;

/**
 * Where the partition without an end is to be divided, so that enough empty ones are before it.
 *
 * @param length of new partitions
 * @param ahead how many of them are to be empty; with none, there are none but for what is held
 * @param now the database's time
 * @param startsAt where the partition without an end begins; nothing if it has no beginning either
 * @param heldFrom when the first of its rows expires, if it holds any
 * @param heldUntil when the last of its rows expires, if it holds any
 * @param usedUntil the end of the last partition before it that has ever held a row
 */
record LeafBordersByExpiry(
        LeafLength length,
        int ahead,
        OffsetDateTime now,
        @Nullable OffsetDateTime startsAt,
        @Nullable OffsetDateTime heldFrom,
        @Nullable OffsetDateTime heldUntil,
        @Nullable OffsetDateTime usedUntil) {

    /** So many that there is time for somebody to see that nobody makes more. */
    static final int AHEAD = 7;

    /** Behind those the rest of a gap is in one partition. Each takes locks of the transaction that makes it. */
    private static final int IN_GAPS = 40;

    private static final String BEGINNING_OF_TIME = "-infinity";

    /** Those that are missing, behind the one where the partition without an end begins; none if there are enough. */
    List<String> missing() {
        List<OffsetDateTime> borders = new ArrayList<>();
        OffsetDateTime last = startsAt;
        if (heldUntil != null) {
            if (startsAt != null && heldFrom != null) {
                divideGap(borders, startsAt, startOfHeld(heldFrom, startsAt));
            }
            last = length.endOf(heldUntil);
            borders.add(last);
        }
        if (ahead > 0) {
            addEmpty(borders, last);
        }
        List<String> missing = new ArrayList<>();
        if (!borders.isEmpty()) {
            missing.add(beginning());
            borders.forEach(border -> missing.add(border.toString()));
        }
        return missing;
    }

    private void addEmpty(List<OffsetDateTime> borders, @Nullable OffsetDateTime end) {
        OffsetDateTime last = end;
        if (last == null) {
            last = length.endOf(now);
            borders.add(last);
        }
        OffsetDateTime used = endOfUsed();
        last = divideGap(borders, last, used);
        OffsetDateTime wanted = used;
        for (int i = 0; i < ahead; i++) {
            wanted = length.endOf(wanted);
        }
        while (last.isBefore(wanted)) {
            last = length.endOf(last);
            borders.add(last);
        }
    }

    /** Where the partition will begin that what has no end becomes; nothing if it is empty. */
    @Nullable String holdsFrom() {
        if (heldFrom == null) {
            return null;
        }
        return startsAt == null
                ? BEGINNING_OF_TIME
                : startOfHeld(heldFrom, startsAt).toString();
    }

    private String beginning() {
        return startsAt == null ? BEGINNING_OF_TIME : startsAt.toString();
    }

    private OffsetDateTime startOfHeld(OffsetDateTime first, OffsetDateTime beginning) {
        return max(length.startOf(first), beginning);
    }

    /** Regular ones as long as there may be more of them, and one for the rest; tells where the last one ends. */
    private OffsetDateTime divideGap(List<OffsetDateTime> borders, OffsetDateTime from, OffsetDateTime until) {
        OffsetDateTime last = from;
        while (last.isBefore(until)) {
            last = borders.size() < IN_GAPS ? min(length.endOf(last), until) : until;
            borders.add(last);
        }
        return last;
    }

    private OffsetDateTime endOfUsed() {
        OffsetDateTime used = max(now, max(orNow(usedUntil), orNow(heldUntil)));
        return length.startOf(used).isEqual(used) ? used : length.endOf(used);
    }

    private OffsetDateTime orNow(@Nullable OffsetDateTime time) {
        return time == null ? now : time;
    }

    private static OffsetDateTime min(OffsetDateTime one, OffsetDateTime other) {
        return one.isBefore(other) ? one : other;
    }

    private static OffsetDateTime max(OffsetDateTime one, OffsetDateTime other) {
        return one.isAfter(other) ? one : other;
    }
}
