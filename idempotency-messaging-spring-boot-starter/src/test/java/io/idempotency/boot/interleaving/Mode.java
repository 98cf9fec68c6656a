package io.idempotency.boot.interleaving;

import java.util.function.BiFunction;

/** The calls of the shop. */
@SuppressWarnings("ImmutableEnumChecker") // Its functions have no state.
enum Mode {
    /** Claims its key first. */
    TRANSACTIONAL((shop, key) -> shop.transactional(key, 5), Failures::ofTransactions),

    /** Has a transaction of its own, even within another one. */
    INDEPENDENT((shop, key) -> shop.independent(key, 5), Failures::ofTransactions),

    /** May not be repeated, so that an in-doubt COMMIT is all that is resolved. */
    UNREPEATED((shop, key) -> shop.unrepeated(key, 5), Failures::ofTransactionsWithoutRepeats),

    /** Its method swallows what its statement throws. */
    SWALLOWING(
            (shop, key) -> {
                shop.swallowing(key, 5);
                return "done";
            },
            Failures::afterFaults),

    /** Claims its key after the method. */
    OPTIMISTIC((shop, key) -> shop.optimistic(key, 5), Failures::ofTransactions),

    /** One message with its COMMIT. */
    WRITE((shop, key) -> shop.write(key, 5), Failures::ofTransactions),

    /** Its effect and its completion are one transaction. */
    LEASED((shop, key) -> shop.leased(key, 5), Failures::ofLeases),

    /** Leased, and its effect is a step. */
    STEP((shop, key) -> shop.withStep(key, 5), Failures::ofLeases);

    private final transient Caller<Shop> caller;

    Mode(BiFunction<Shop, String, Object> calls, Failures failures) {
        this.caller = new Caller<>(Shop.class, calls, failures);
    }

    boolean isLeased() {
        return this == LEASED || this == STEP;
    }

    Caller<Shop> caller() {
        return caller;
    }
}
