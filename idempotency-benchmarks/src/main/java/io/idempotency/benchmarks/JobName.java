package io.idempotency.benchmarks;

import java.util.List;

/** What the jobs are called in options and results. */
final class JobName {

    static final String NEW_KEY = "new-key";

    static final String REPEATED_KEY = "repeated-key";

    static final String INBOX_BATCH = "inbox-batch";

    static final String RACE = "race";

    static final String GROWTH = "growth";

    static final List<String> ALL = List.of(NEW_KEY, REPEATED_KEY, INBOX_BATCH, RACE, GROWTH);

    private JobName() {}

    static String require(String name) {
        if (!ALL.contains(name)) {
            throw new IllegalArgumentException("There is no job " + name + ", but " + String.join(", ", ALL));
        }
        return name;
    }
}
