package io.idempotency.benchmarks;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/** Makes the effect of each call, at least as often as it should. */
abstract class CallContender extends Contender {

    CallContender(String name, ContenderSetup setup, List<Class<?>> configuration, String... properties) {
        super(name, setup, configuration, properties);
    }

    /** Makes the effect, or finds that it was made before; gives the response if there is one. */
    abstract @Nullable Receipt pay(String key, Payment payment);

    /** Whether the effect of a key is made once. */
    boolean remembers() {
        return true;
    }

    /** Whether a repeat gets the response of the first call. */
    boolean replays() {
        return remembers();
    }

    /** Whether a key is refused to another payload. */
    boolean comparesPayloads() {
        return replays();
    }

    /** A call with a key that nobody has used. */
    final Operation newKey() {
        return () -> {
            int number = nextNumber();
            pay(Keys.called(number), Payment.of(number));
        };
    }

    /** Calls with new keys; repeats go to one of them. */
    final Operation repeatedKey(int keys) {
        int first = nextNumber() + 1;
        for (int i = 0; i < keys; i++) {
            int number = nextNumber();
            pay(Keys.called(number), Payment.of(number));
        }
        settle();
        return () -> {
            int number = first + ThreadLocalRandom.current().nextInt(keys);
            pay(Keys.called(number), Payment.of(number));
        };
    }
}
