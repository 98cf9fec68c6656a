package io.idempotency.internal.retention;

/** Takes samples for metrics and health, and gives them to a listener. */
@FunctionalInterface
public interface Sampler {

    /** Takes one sample. Its time does not depend on the size of the tables. */
    void sample();
}
