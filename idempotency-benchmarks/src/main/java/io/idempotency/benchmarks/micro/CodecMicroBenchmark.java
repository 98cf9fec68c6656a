package io.idempotency.benchmarks.micro;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.Idempotent;
import io.idempotency.internal.codec.Fingerprinter;
import io.idempotency.internal.codec.JacksonResponseCodec;
import io.idempotency.internal.operation.AnnotationOperationSource;
import io.idempotency.internal.operation.IdempotentOperation;

/** The key, the fingerprint and the response of a call, each by itself. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class CodecMicroBenchmark {

    private final Fingerprinter fingerprinter =
            new Fingerprinter(JsonMapper.builder().build());

    private final JacksonResponseCodec codec =
            new JacksonResponseCodec(JsonMapper.builder().build());

    private final Annotated target = new Annotated();

    private final Object[] arguments = {"order-4711", Order.ONE};

    private final IdempotentOperation operation = operation();

    private final String body = codec.encode(Order.ONE, Order.class);

    /** Made by JMH. */
    public CodecMicroBenchmark() {}

    private static IdempotentOperation operation() {
        try {
            IdempotentOperation found = new AnnotationOperationSource(text -> text, MicroApplication::retention)
                    .findOperation(Annotated.class.getMethod("pay", String.class, Order.class), Annotated.class);
            if (found == null) {
                throw new IllegalStateException("The method is not idempotent");
            }
            return found;
        } catch (NoSuchMethodException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Evaluates the key's expression, and checks the key. */
    @Benchmark
    public Object keyExpression() {
        return operation.key(target, arguments);
    }

    /** Writes canonical JSON of the arguments, and hashes it. */
    @Benchmark
    public Object fingerprint() {
        return operation.fingerprint(target, arguments, fingerprinter);
    }

    /** Writes a response. */
    @Benchmark
    public Object encodeResponse() {
        return codec.encode(Order.ONE, Order.class);
    }

    /** Reads a response. */
    @Benchmark
    public @Nullable Object decodeResponse() {
        return codec.decode(body, Order.class);
    }

    /** Has an annotated method. */
    public static class Annotated {

        /** Made here only. */
        public Annotated() {}

        /** Is never called. */
        @Idempotent(scope = "orders", key = "#key")
        public Order pay(String key, Order order) {
            return order;
        }
    }
}
