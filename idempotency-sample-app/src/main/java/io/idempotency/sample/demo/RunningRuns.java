package io.idempotency.sample.demo;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.stereotype.Component;

/** The attempts whose answers have not come yet, by their header. */
@Component
class RunningRuns {

    private final Map<String, Attempt> attempts = new ConcurrentHashMap<>();

    void add(Run run) {
        run.attempts().forEach(attempt -> attempts.put(attempt.header(), attempt));
    }

    void remove(Attempt attempt) {
        attempts.remove(attempt.header());
    }

    Optional<Attempt> find(String header) {
        return Optional.ofNullable(attempts.get(header));
    }
}
