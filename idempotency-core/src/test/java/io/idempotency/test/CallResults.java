package io.idempotency.test;

import java.util.List;

/** The results of concurrent calls, in the order of the calls (not of their ends). */
public record CallResults<T>(List<CallResult<T>> all) {

    public CallResults {
        all = List.copyOf(all);
    }

    public CallResult<T> get(int index) {
        return all.get(index);
    }

    /** What the successful calls returned. */
    public List<T> values() {
        return all.stream().filter(CallResult::succeeded).map(CallResult::value).toList();
    }

    /** What the other calls threw. */
    public List<Throwable> failures() {
        return all.stream()
                .filter(result -> !result.succeeded())
                .map(CallResult::failure)
                .toList();
    }

    /** All values; if any call failed an {@link AssertionError} that shows each failure's stack trace. */
    public List<T> requireAllSucceeded() {
        List<Throwable> failures = failures();
        if (!failures.isEmpty()) {
            AssertionError error = new AssertionError(failures.size() + " of " + all.size() + " calls failed");
            failures.forEach(error::addSuppressed);
            throw error;
        }
        return values();
    }
}
