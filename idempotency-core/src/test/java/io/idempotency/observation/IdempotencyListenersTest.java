package io.idempotency.observation;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

import io.idempotency.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyListenersTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(IdempotencyListeners.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final List<String> received = new ArrayList<>();

    @BeforeEach
    void listenToTheLog() {
        logger.setAdditive(false);
        logger.addAppender(log);
        log.start();
    }

    @AfterEach
    void leaveTheLog() {
        logger.detachAppender(log);
        logger.setAdditive(true);
    }

    @Test
    void everyListenerReceivesEveryKindOfEventInOrder() throws ReflectiveOperationException {
        IdempotencyListener listeners = new IdempotencyListeners(List.of(recorder("first"), recorder("second")));

        for (Method event : IdempotencyListener.class.getMethods()) {
            received.clear();
            event.invoke(listeners, new Object[] {null});

            assertThat(received).containsExactly("first " + event.getName(), "second " + event.getName());
        }
    }

    static List<Throwable> failures() {
        return List.of(
                new IllegalStateException("no registry"),
                new NoClassDefFoundError("io/micrometer/core/instrument/Timer"),
                new StackOverflowError(),
                new IOException("a checked exception of another language"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailingListenerHarmsNeitherTheOthersNorTheCall(Throwable failure) {
        new IdempotencyListeners(List.of(new Failing(failure), recorder("next")))
                .callCompleted(new CallCompleted("payments", null, Outcome.INVALID_KEY, 0, Duration.ofMillis(3), null));

        assertThat(received).containsExactly("next callCompleted");
        assertThat(log.list).singleElement().satisfies(entry -> {
            assertThat(entry.getLevel()).isEqualTo(Level.WARN);
            assertThat(entry.getFormattedMessage()).contains(Failing.class.getName());
            assertThat(entry.getThrowableProxy().getClassName())
                    .isEqualTo(failure.getClass().getName());
        });
    }

    private IdempotencyListener recorder(String name) {
        return (IdempotencyListener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {IdempotencyListener.class}, (proxy, method, arguments) -> {
                    received.add(name + " " + method.getName());
                    return null;
                });
    }

    private record Failing(Throwable failure) implements IdempotencyListener {

        @Override
        public void callCompleted(CallCompleted event) {
            throw Failing.<RuntimeException>undeclared(failure);
        }

        @SuppressWarnings("unchecked") // Erased: nothing is cast.
        private static <X extends Throwable> RuntimeException undeclared(Throwable failure) throws X {
            throw (X) failure;
        }
    }
}
