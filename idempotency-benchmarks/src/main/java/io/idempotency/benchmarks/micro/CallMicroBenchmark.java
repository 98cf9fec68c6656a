package io.idempotency.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Whole calls through the interceptor chain, with connections and a store that do nothing. What the starter adds to a call is
 * the difference to {@link #plain}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class CallMicroBenchmark {

    private final MicroApplication application = new MicroApplication();

    private long number;

    /** Made by JMH. */
    public CallMicroBenchmark() {}

    /** Starts the application. */
    @Setup(Level.Trial)
    public void start() {
        application.start();
    }

    /** Stops it. */
    @TearDown(Level.Trial)
    public void stop() {
        application.close();
    }

    /** A transaction and nothing else. */
    @Benchmark
    public Object plain() {
        return application.orders().plain(key(), Order.ONE);
    }

    /** A new key with a response. */
    @Benchmark
    public Object newKey() {
        return application.orders().pay(key(), Order.ONE);
    }

    /** A new key without a response. */
    @Benchmark
    public void newKeyVoid() {
        application.orders().payVoid(key(), Order.ONE);
    }

    /** A repeated key. */
    @Benchmark
    public Object replay() {
        return application.orders().pay(NoOpClaimStore.KNOWN_KEY, Order.ONE);
    }

    /** A new message, received by itself. */
    @Benchmark
    public void newMessage() {
        application.orders().receive(key(), Order.ONE);
    }

    private String key() {
        return "order-" + number++;
    }
}
