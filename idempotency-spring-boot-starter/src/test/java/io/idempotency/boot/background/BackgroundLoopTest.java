package io.idempotency.boot.background;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.scheduling.TriggerContext;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** When a loop does its work, what a failure changes, and how it ends. */
@ExtendWith(OutputCaptureExtension.class)
class BackgroundLoopTest {

    private static final Duration LONG = Duration.ofHours(1);

    private Duration pause = LONG;

    private Duration pauseAfterFailure = Duration.ZERO;

    private Work work = () -> {};

    private Supplier<String> description = () -> "It did not work";

    private final BlockingQueue<Thread> rounds = new LinkedBlockingQueue<>();

    private @Nullable Scripted loop;

    @AfterEach
    void end() {
        if (loop != null) {
            loop.stop();
        }
    }

    @Test
    void aWakeEndsThePauseAndEachRoundIsOnTheOneDaemonThread() throws InterruptedException {
        start(LONG);

        Thread first = nextRound();
        loop.wake();
        assertThat(nextRound()).isSameAs(first);
        assertThat(first.getName()).isEqualTo("a loop");
        assertThat(first.isDaemon()).isTrue();
    }

    @Test
    void failuresOfAnyKindDoNotEndTheLoopAndTheFirstOfASeriesIsReported(CapturedOutput output)
            throws InterruptedException {
        pause = Duration.ZERO;
        pauseAfterFailure = Duration.ofMillis(1);
        work = () -> {
            switch (loop.count.get()) {
                case 1 -> throw new QueryTimeoutException("of the database");
                case 2 -> {
                    Thread.currentThread().interrupt();
                    throw new NoClassDefFoundError("of the application");
                }
                case 5 -> throw new IllegalStateException("of the next series");
                case 6 -> pause = LONG;
                default -> {}
            }
        };
        start(LONG);
        for (int i = 1; i <= 6; i++) {
            nextRound();
        }

        await().untilAsserted(() -> assertThat(StringUtils.countOccurrencesOf(output.getAll(), "It did not work"))
                .isEqualTo(2));
        assertThat(output).contains("of the database", "of the next series").doesNotContain("of the application");
        assertThat(output.getAll()).containsPattern("WARN.*It did not work").containsPattern("ERROR.*It did not work");
    }

    /** Such as one for which the JVM has no memory. */
    @Test
    void aFailureThatCannotBeReportedDoesNotEndTheLoopAndTheNextIs(CapturedOutput output) throws InterruptedException {
        description = () -> {
            if (loop.count.get() == 1) {
                throw new OutOfMemoryError("of the report");
            }
            return "It did not work";
        };
        work = () -> {
            if (loop.count.get() <= 3) {
                throw new OutOfMemoryError("of round " + loop.count);
            }
        };
        start(LONG);
        Thread first = nextRound();

        for (int i = 2; i <= 4; i++) {
            assertThat(nextRound()).isSameAs(first);
        }
        assertThat(output).contains("of round 2").doesNotContain("of round 1").doesNotContain("of round 3");
    }

    @Test
    void aWakeDoesNotEndThePauseAfterAFailure() throws InterruptedException {
        pauseAfterFailure = LONG;
        work = () -> {
            throw new QueryTimeoutException("of the database");
        };
        start(LONG);
        Thread thread = nextRound();
        loop.wake();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        loop.wake();

        assertThat(rounds.poll(200, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void stoppingEndsAPauseOfEachKind() throws InterruptedException {
        work = () -> {
            switch (loop.count.get()) {
                case 2 -> loop.pause(LONG);
                case 3 -> {
                    pauseAfterFailure = LONG;
                    throw new QueryTimeoutException("of the database");
                }
                default -> {}
            }
        };
        start(LONG);
        for (int i = 1; i <= 3; i++) {
            Thread thread = nextRound();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            loop.stop();
            assertThat(thread.isAlive()).isFalse();
            loop.start();
        }
    }

    @Test
    void aRoundThatOutlivesTheTimeoutIsInterruptedAndEndsBeforeItsSuccessorBegins(CapturedOutput output)
            throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        work = () -> {
            if (loop.count.get() > 1) {
                return;
            }
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException stopped) {
                interrupted.countDown();
                assertThat(answer.await(30, TimeUnit.SECONDS)).isTrue();
                assertThat(loop.isEnding()).isTrue();
                throw stopped;
            }
        };
        start(Duration.ZERO);
        Thread hanging = nextRound();
        loop.stop();
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
        loop.start();
        loop.stop();
        loop.start();
        await().until(() -> loopsThatWait() == 2);
        assertThat(rounds).isEmpty();
        answer.countDown();

        assertThat(nextRound()).isNotSameAs(hanging);
        assertThat(hanging.isAlive()).isFalse();
        assertThat(output).doesNotContain("It did not work");
    }

    private static long loopsThatWait() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("a loop"))
                .filter(thread -> thread.getState() == Thread.State.WAITING)
                .count();
    }

    @Test
    void stoppingWaitsForTheRoundWithoutInterruptingIt() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        work = () -> {
            assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(loop.isEnding()).isTrue();
        };
        start(LONG);
        Thread working = nextRound();
        Thread stopping = new Thread(loop::stop);
        stopping.start();
        await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
        mayEnd.countDown();
        stopping.join();

        assertThat(working.isAlive()).isFalse();
        assertThat(loop.failure).isNull();
        assertThat(loop.isRunning()).isFalse();
    }

    @Test
    void aLoopWithoutANextRoundEnds() throws InterruptedException {
        pause = null;
        start(LONG);
        Thread thread = nextRound();

        thread.join();
        assertThat(rounds).isEmpty();
    }

    private void start(Duration stopTimeout) {
        loop = new Scripted(stopTimeout);
        loop.start();
    }

    private Thread nextRound() throws InterruptedException {
        Thread thread = rounds.poll(30, TimeUnit.SECONDS);
        assertThat(thread).isNotNull();
        return thread;
    }

    @FunctionalInterface
    private interface Work {

        void run() throws Exception;
    }

    /** Begins at once; what follows is up to the test. */
    private final class Scripted extends BackgroundLoop {

        private final AtomicInteger count = new AtomicInteger();

        private volatile @Nullable Throwable failure;

        Scripted(Duration stopTimeout) {
            super("a loop", stopTimeout, new WakeSignal());
        }

        @Override
        protected void round() throws Exception {
            count.incrementAndGet();
            rounds.add(Thread.currentThread());
            try {
                work.run();
            } catch (Throwable thrown) {
                failure = thrown;
                throw thrown;
            }
        }

        @Override
        protected @Nullable Instant nextRound(TriggerContext context, int failures) {
            Instant now = context.getClock().instant();
            if (context.lastCompletion() == null) {
                return now;
            }
            if (failures > 0) {
                return now.plus(pauseAfterFailure);
            }
            return pause == null ? null : now.plus(pause);
        }

        @Override
        protected String describe(Throwable thrown) {
            return description.get();
        }
    }
}
