package io.idempotency.boot.interleaving;

/**
 * Calls that others know of.
 *
 * @param scope of the calls, by which an operator finds their rows
 * @param type of the bean that is called
 * @param call of the bean with a key
 * @param failures which callers need not be answered
 */
record ScopedCalls<T>(String scope, Class<T> type, Call<T> call, Failures failures) {

    static final ScopedCalls<Shop> TRANSACTIONAL = new ScopedCalls<>(
            "transactional", Shop.class, (shop, key) -> shop.transactional(key, 5), Failures::ofTransactions);

    static final ScopedCalls<Shop> OPTIMISTIC = new ScopedCalls<>(
            "optimistic", Shop.class, (shop, key) -> shop.optimistic(key, 5), Failures::ofTransactions);

    static final ScopedCalls<Shop> LEASED =
            new ScopedCalls<>("leased", Shop.class, (shop, key) -> shop.leased(key, 5), Failures::ofLeasesThatExpire);

    static final ScopedCalls<Shop> STEPS =
            new ScopedCalls<>("steps", Shop.class, (shop, key) -> shop.withStep(key, 5), Failures::ofLeasesThatExpire);

    static final ScopedCalls<BriefShop> BRIEF_TRANSACTIONAL = new ScopedCalls<>(
            "brief", BriefShop.class, (shop, key) -> shop.transactional(key, 5), Failures::besideHalted);

    static final ScopedCalls<BriefShop> BRIEF_OPTIMISTIC = new ScopedCalls<>(
            "brief-optimistic", BriefShop.class, (shop, key) -> shop.optimistic(key, 5), Failures::besideHalted);

    static final ScopedCalls<BriefShop> BRIEF_LEASED = new ScopedCalls<>(
            "brief-leased", BriefShop.class, (shop, key) -> shop.leased(key, 5), Failures::ofLeasesThatExpire);

    static final ScopedCalls<BriefShop> RESUMED = new ScopedCalls<>(
            "resumed", BriefShop.class, (shop, key) -> shop.resumed(key, 5), Failures::ofLeasesThatExpire);

    ScopedCalls<T> withFailures(Failures other) {
        return new ScopedCalls<>(scope, type, call, other);
    }

    void warmUp(Applications applications) {
        applications.warmUp(type, call::make);
    }

    Object call(Applications applications, int application, String key) {
        return call.make(applications.beans(type).get(application % 2), key);
    }

    @Override
    public String toString() {
        return scope;
    }

    /** A call of a bean. */
    @FunctionalInterface
    interface Call<T> {

        Object make(T bean, String key);
    }
}
