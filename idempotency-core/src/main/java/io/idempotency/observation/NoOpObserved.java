package io.idempotency.observation;

/** An observer that does nothing. */
enum NoOpObserved implements CallObserver.Observed<Object> {
    INSTANCE;

    @Override
    public void ended(Object event) {}
}
