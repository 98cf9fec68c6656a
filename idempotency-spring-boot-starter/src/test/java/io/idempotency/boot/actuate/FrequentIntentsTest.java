package io.idempotency.boot.actuate;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.boot.actuate.FrequentIntents.Frequent;

import static org.assertj.core.api.Assertions.assertThat;

/** What is found among many, and in how much memory. */
class FrequentIntentsTest {

    private static final int HOT = 10;

    private final FrequentIntents intents = new FrequentIntents(Clock.systemUTC());

    @Test
    void tenHotIntentsAreFoundAmongAMillionInBoundedMemory() {
        int largest = 0;
        Random random = new Random(7);
        for (int i = 0; i < 1_000_000; i++) {
            intents.count(intent("rare-" + i));
            if (i % 50 == 0) {
                intents.count(intent("hot-" + random.nextInt(HOT)));
            }
            largest = Math.max(largest, intents.size());
        }

        assertThat(largest).isLessThanOrEqualTo(2 * FrequentIntents.CAPACITY + 1);
        assertThat(intents.top(HOT, any -> true))
                .allSatisfy(found -> {
                    assertThat(found.intent().key().value()).startsWith("hot-");
                    assertThat(found.count()).isBetween(2_000L - 1_020_000 / FrequentIntents.CAPACITY - 200, 2_200L);
                })
                .hasSize(HOT);
    }

    @Test
    void countsAreExactAsLongAsThereIsRoom() {
        for (int i = 0; i < 5; i++) {
            intents.count(intent("five"));
        }
        intents.count(intent("one"));

        assertThat(intents.top(10, any -> true)).extracting(Frequent::count).containsExactly(5L, 1L);
        assertThat(intents.top(1, any -> true)).hasSize(1);
        assertThat(intents.top(10, intent -> intent.key().value().equals("one")))
                .hasSize(1);
    }

    @Test
    void whatWasHotMakesRoomForWhatIsHotNow() {
        for (int i = 0; i < 100; i++) {
            intents.count(intent("once"));
        }
        for (int i = 0; i < 500_000; i++) {
            intents.count(intent("rare-" + i));
        }
        for (int i = 0; i < 50; i++) {
            intents.count(intent("now"));
        }

        assertThat(intents.top(1, any -> true))
                .extracting(found -> found.intent().key().value())
                .containsExactly("now");
    }

    @Test
    void manyThreadsLoseNothingWhereThereIsRoomAndStayInBoundsWhereThereIsNone() throws InterruptedException {
        int perThread = 100_000;
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int number = t;
            threads.add(new Thread(() -> {
                awaitUninterrupted(start);
                IntStream.range(0, perThread).forEach(i -> {
                    intents.count(intent("hot"));
                    intents.count(intent("rare-" + number + "-" + i));
                });
            }));
        }
        threads.forEach(Thread::start);
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(intents.size()).isLessThanOrEqualTo(FrequentIntents.MAX_SIZE + threads.size());
        Frequent hottest = intents.top(1, any -> true).get(0);
        assertThat(hottest.intent()).isEqualTo(intent("hot"));
        assertThat(hottest.count()).isBetween(390_000L, 400_000L);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private static Intent intent(String key) {
        return new Intent("payments", "", new IdempotencyKey(key));
    }
}
