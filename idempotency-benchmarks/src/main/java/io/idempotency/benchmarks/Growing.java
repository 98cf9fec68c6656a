package io.idempotency.benchmarks;

import java.util.concurrent.ThreadLocalRandom;

/** A contender whose table can be filled as if very many calls had been made. */
interface Growing {

    /** Every row that is made has this payload, and the response that it got. */
    Payment PROTOTYPE = Payment.of(0);

    /** Makes a call with {@link #PROTOTYPE} and that key, which the rows are made from. */
    String PROTOTYPE_KEY = "prototype";

    /** Adds the rows with the keys {@link Keys#grown} of these numbers, the last one excluded. */
    void grow(long from, long to);

    /** Repeats a call that is one of so many rows. */
    static Operation repeats(CallContender contender, long rows) {
        return () -> contender.pay(Keys.grown(ThreadLocalRandom.current().nextLong(rows)), PROTOTYPE);
    }
}
