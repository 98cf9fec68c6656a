package io.idempotency.observation;

/** Ignores the end of everything. */
enum Ignoring implements CallObserver.Observed<Object> {
    INSTANCE;

    @Override
    public void ended(Object event) {}
}
