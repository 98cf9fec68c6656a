package io.idempotency.sample.demo;

import java.util.Optional;

import org.springframework.stereotype.Component;

/** The attempt that the current thread serves. */
@Component
class CurrentAttempt {

    private static final ThreadLocal<Attempt> current = new ThreadLocal<>();

    void set(Attempt attempt) {
        current.set(attempt);
    }

    void clear() {
        current.remove();
    }

    Optional<Attempt> find() {
        return Optional.ofNullable(current.get());
    }
}
