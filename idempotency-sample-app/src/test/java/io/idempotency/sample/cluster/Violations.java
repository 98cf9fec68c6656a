package io.idempotency.sample.cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.idempotency.sample.cluster.Violation.Rule;

/** Collects them. */
final class Violations {

    private final List<Violation> found = new ArrayList<>();

    void require(boolean kept, Rule rule, Object... evidence) {
        if (!kept) {
            // Not List.of, because evidence may be null.
            found.add(new Violation(rule, Arrays.asList(evidence)));
        }
    }

    List<Violation> found() {
        return List.copyOf(found);
    }
}
