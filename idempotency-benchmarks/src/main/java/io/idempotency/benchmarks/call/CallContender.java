package io.idempotency.benchmarks.call;

import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

import io.idempotency.benchmarks.effect.Keys;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;
import io.idempotency.benchmarks.harness.BenchmarkServer;
import io.idempotency.benchmarks.harness.Contender;
import io.idempotency.benchmarks.harness.ContenderApplication;

/** Calls of a service, whose promise is checked before anything is measured. */
final class CallContender implements Contender {

    private final ContenderApplication application;

    private final PaymentService service;

    private final AtomicInteger calls = new AtomicInteger();

    private IntSupplier numbers = calls::incrementAndGet;

    CallContender(ContenderApplication application, PaymentService service) {
        this.application = application;
        this.service = service;
    }

    /** Starts the application of an approach. */
    static CallContender start(Approach approach, BenchmarkServer server) {
        ContenderApplication application = new ContenderApplication(
                server, approach.name(), approach.ddl(), approach.beans(), approach.properties());
        CallContender contender = new CallContender(application, application.bean(PaymentService.class));
        contender.check(approach.promise());
        return contender;
    }

    /**
     * Makes calls of a key, because figures of a service that does not keep its promise are worthless.
     *
     * @throws IllegalStateException if it does not
     */
    void check(Promise promise) {
        int number = calls.incrementAndGet();
        String key = Keys.random(number);
        Payment payment = Payment.of(number);
        long before = application.effects();
        Receipt first = service.pay(key, payment);
        require(application.effects() == before + 1, "does not make the effect of a new key once");
        if (promise == Promise.NOTHING) {
            return;
        }
        Receipt second = service.pay(key, payment);
        require(application.effects() == before + 1, "makes the effect of a repeated key again");
        require(
                promise != Promise.SAME_RESPONSE || (first != null && Objects.equals(first, second)),
                "does not replay the response of a repeated key");
        require(refuses(key, Payment.of(number + 1)), "accepts a key with another payload");
        require(application.effects() == before + 1, "makes the effect of another payload");
    }

    private boolean refuses(String key, Payment payment) {
        try {
            service.pay(key, payment);
            return false;
        } catch (RuntimeException refused) {
            return true;
        }
    }

    private void require(boolean kept, String otherwise) {
        if (!kept) {
            throw new IllegalStateException(service.getClass().getSimpleName() + " " + otherwise);
        }
    }

    /** Makes calls with new keys, which all further calls repeat. */
    void repeatOnly(int keys) {
        int first = makeCalls(keys);
        numbers = () -> first + ThreadLocalRandom.current().nextInt(keys);
    }

    /** Does the same, and repeats each key once before any of them again. */
    void repeatInTurn(int keys) {
        int first = makeCalls(keys);
        AtomicInteger turn = new AtomicInteger();
        numbers = () -> first + Math.floorMod(turn.getAndIncrement(), keys);
    }

    private int makeCalls(int keys) {
        int first = calls.get() + 1;
        IntStream.range(0, keys).parallel().forEach(i -> run());
        application.settle();
        return first;
    }

    @Override
    public void run() {
        int number = numbers.getAsInt();
        service.pay(Keys.random(number), Payment.of(number));
    }

    @Override
    public void close() {
        application.close();
    }
}
