package io.idempotency.observation;

/** Does nothing. */
enum NoOpObserved implements CallObserver.Observed<Object> {
    INSTANCE;

    @Override
    public void ended(Object event) {}
}
