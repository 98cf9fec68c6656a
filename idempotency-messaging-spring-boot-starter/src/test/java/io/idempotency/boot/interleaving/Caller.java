package io.idempotency.boot.interleaving;

import java.util.List;
import java.util.function.BiFunction;

/**
 * The work of an actor.
 *
 * @param type of the bean that is called, which both applications have
 * @param calls what is called with the key
 * @param failures whether the actor need not be answered
 */
record Caller<T>(Class<T> type, BiFunction<T, String, Object> calls, Failures failures) {

    /** The answer of an actor that was not asked for one, or has undone it. */
    static final Object NO_ANSWER = "no answer";

    /** Lets the lease expire that is held then. */
    static final Caller<Shop> EXPIRY = new Caller<>(
            Shop.class,
            (shop, key) -> {
                shop.expireLease(key);
                return NO_ANSWER;
            },
            (caller, run) -> true);

    Object call(Applications applications, int application, String key) {
        List<T> beans = applications.beans(type);
        return calls.apply(beans.get(application % beans.size()), key);
    }
}
