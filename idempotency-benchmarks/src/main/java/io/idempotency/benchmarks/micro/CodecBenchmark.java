package io.idempotency.benchmarks.micro;

import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.response.ResponseMapper;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

/** The fingerprint of a payload, and a response that is written, verified and read. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CodecBenchmark {

    private static final Intent INTENT = new Intent("orders", "", new IdempotencyKey("order-4711"));

    private static final long MAX_BYTES = 1_000_000;

    private final Fingerprinter fingerprinter =
            new Fingerprinter(JsonMapper.builder().build());

    private final JacksonResponseCodec codec =
            new JacksonResponseCodec(JsonMapper.builder().build());

    private final ResponseMapper verifyingFirst = new ResponseMapper(List.of(codec), MAX_BYTES, false);

    private final ResponseMapper verifyingEach = new ResponseMapper(List.of(codec), MAX_BYTES, true);

    /** The lines of the order: 3 make about 150 bytes of JSON, 100 about 5 kB. */
    @Param({"3", "100"})
    public int lines;

    private Order order = new Order(0, List.of());

    private String body = "";

    /** Called by JMH. */
    public CodecBenchmark() {}

    /** Makes the payload, which is the response as well. */
    @Setup(Level.Trial)
    public void makeOrder() {
        order = new Order(4_711, Collections.nCopies(lines, new Line("4006381333931", 2, 1_999)));
        body = codec.encode(order, Order.class);
    }

    /** Writes canonical JSON, and hashes it. */
    @Benchmark
    public Object fingerprint() {
        return fingerprinter.of(order, Order.class);
    }

    /** Writes a response as it is by default: those of a closed type are verified once. */
    @Benchmark
    public Object writeResponse() {
        return verifyingFirst.write(INTENT, order, Order.class, false);
    }

    /** Writes a response and reads it back, as where its type may lose something. */
    @Benchmark
    public Object writeAndVerifyResponse() {
        return verifyingEach.write(INTENT, order, Order.class, false);
    }

    /** Reads a stored response. */
    @Benchmark
    public @Nullable Object readResponse() {
        return verifyingFirst.read(INTENT, body, Order.class);
    }

    /**
     * A payload, and a response.
     *
     * @param number of the order
     * @param lines of the order
     */
    public record Order(int number, List<Line> lines) {}

    /**
     * A line of an order.
     *
     * @param article that is bought
     * @param count of articles
     * @param cents for each
     */
    public record Line(String article, int count, long cents) {}
}
