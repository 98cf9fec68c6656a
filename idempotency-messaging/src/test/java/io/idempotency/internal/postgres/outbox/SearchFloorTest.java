package io.idempotency.internal.postgres.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.idempotency.internal.postgres.outbox.SearchFloor.Search;

import static org.assertj.core.api.Assertions.assertThat;

/** From which time searches read, after what earlier ones have found. Times are seconds. */
class SearchFloorTest {

    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1);

    private final SearchFloor floor = new SearchFloor(nanoTime::get);

    /** A search is its time, that of the first message that it finds pending, the oldest open transaction, and its own number. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
                no search                                         |                                          | -infinity
                one search                                        | 100 100 7 7                              | -infinity
                nothing is open                                   | 100 100 7 7, 110 110 8 0                 | 99
                transactions have begun and ended                 | 100 100 7 7, 110 110 20 0                | 99
                those that were open have ended                   | 100 100 5 7, 110 110 8 0                 | 99
                one that was open is open                         | 100 100 5 7, 110 110 5 0                 | -infinity
                its own is open                                   | 100 100 7 7, 110 110 7 0                 | -infinity
                one that was open ends later                      | 100 100 5 7, 110 110 5 0, 120 120 9 0    | 99
                a message is pending                              | 100 50 7 7, 110 50 8 0                   | 50
                it was pending only before                        | 100 50 7 7, 110 110 8 0                  | 99
                it is pending only now                            | 100 100 7 7, 110 105 8 0                 | 99
                it appears below the floor                        | 100 100 7 7, 110 110 8 0, 120 60 8 0     | 60
                the clock was set back                            | 100 100 7 7, 110 110 8 0, 50 50 9 0      | -infinity
                and goes on                                       | 100 100 7 7, 50 50 8 0, 60 60 9 9, 70 70 10 0 | 59
                """)
    void aSearchReadsFromATimeBeforeWhichNothingCanAppear(String situation, String searches, String expected) {
        if (searches != null) {
            Arrays.stream(searches.split(", ")).forEach(search -> floor.learn(floor.next(), search(search)));
        }

        assertThat(floor.next().time())
                .isEqualTo(
                        expected.equals(SearchFloor.NONE)
                                ? expected
                                : at(Long.parseLong(expected)).toString());
    }

    @Test
    void aSearchInEachMinuteReadsAll() {
        floor.learn(floor.next(), search("100 100 7 7"));
        floor.learn(floor.next(), search("110 110 8 0"));
        nanoTime.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(floor.next().time()).isEqualTo(at(99).toString());
        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(floor.next().time()).isEqualTo(SearchFloor.NONE);
        assertThat(floor.next()).as("until one was made").isEqualTo(new SearchFloor.From(SearchFloor.NONE, true));

        floor.learn(new SearchFloor.From(SearchFloor.NONE, true), search("170 80 8 8"));

        assertThat(floor.next().time()).as("a message that was late").isEqualTo(at(80).toString());
        floor.learn(floor.next(), search("171 171 9 0"));
        assertThat(floor.next().time()).as("its time").isEqualTo(at(169).toString());
    }

    @Test
    void aSearchFromAHigherFloorSaysNothingOfWhatAnotherHasFoundBelow() {
        floor.learn(floor.next(), search("100 100 7 7"));
        floor.learn(floor.next(), search("110 110 8 0"));
        SearchFloor.From higher = floor.next();
        floor.learn(new SearchFloor.From(SearchFloor.NONE, true), search("120 60 8 8"));

        floor.learn(higher, search("130 130 9 0"));

        assertThat(floor.next().time()).isEqualTo(at(60).toString());
    }

    private static Search search(String text) {
        long[] values =
                Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
        return new Search(at(values[0]), at(values[1]), values[2], values[3]);
    }

    private static Instant at(long second) {
        return Instant.EPOCH.plusSeconds(second);
    }
}
