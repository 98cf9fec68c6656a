package io.idempotency.boot.actuate;

import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

/** Counts of the last five minutes, and of the one that has begun. A reader may miss what is counted at that moment. */
final class RecentCounts {

    private static final int MINUTES = 6;

    private final AtomicReferenceArray<@Nullable Minute> minutes = new AtomicReferenceArray<>(MINUTES);

    private final Clock clock;

    RecentCounts(Clock clock) {
        this.clock = clock;
    }

    void count(boolean suppressed) {
        Minute current = current();
        current.all.increment();
        if (suppressed) {
            current.suppressed.increment();
        }
    }

    private Minute current() {
        long number = numberOfMinute();
        int index = (int) (number % MINUTES);
        Minute found = minutes.get(index);
        if (found != null && found.number == number) {
            return found;
        }
        Minute added = new Minute(number);
        Minute before = minutes.compareAndExchange(index, found, added);
        return before == found || before == null ? added : before;
    }

    private long numberOfMinute() {
        return TimeUnit.MILLISECONDS.toMinutes(clock.millis());
    }

    Counts sum() {
        long oldest = numberOfMinute() - MINUTES;
        long all = 0;
        long suppressed = 0;
        for (int i = 0; i < MINUTES; i++) {
            Minute minute = minutes.get(i);
            if (minute != null && minute.number > oldest) {
                all += minute.all.sum();
                suppressed += minute.suppressed.sum();
            }
        }
        return Counts.of(all, suppressed);
    }

    private static final class Minute {

        private final long number;

        private final LongAdder all = new LongAdder();

        private final LongAdder suppressed = new LongAdder();

        Minute(long number) {
            this.number = number;
        }
    }
}
