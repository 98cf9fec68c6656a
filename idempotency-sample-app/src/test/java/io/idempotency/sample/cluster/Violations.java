package io.idempotency.sample.cluster;

import java.util.ArrayList;
import java.util.List;

import io.idempotency.sample.cluster.Violation.Rule;

/** Collects them. */
final class Violations {

    private final List<Violation> found = new ArrayList<>();

    @SuppressWarnings("AnnotateFormatMethod")
    void require(boolean kept, Rule rule, String format, Object... arguments) {
        if (!kept) {
            found.add(new Violation(rule, String.format(format, arguments)));
        }
    }

    List<Violation> found() {
        return List.copyOf(found);
    }
}
