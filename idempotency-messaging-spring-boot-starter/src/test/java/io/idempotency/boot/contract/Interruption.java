package io.idempotency.boot.contract;

/** Where a test steps into the running method; does nothing unless the test says so. */
class Interruption {

    private volatile Runnable beforeEffect = () -> {};

    private volatile Runnable afterEffect = () -> {};

    void beforeEffectDo(Runnable action) {
        beforeEffect = action;
    }

    void afterEffectDo(Runnable action) {
        afterEffect = action;
    }

    void reset() {
        beforeEffect = () -> {};
        afterEffect = () -> {};
    }

    void beforeEffect() {
        beforeEffect.run();
    }

    void afterEffect() {
        afterEffect.run();
    }
}
