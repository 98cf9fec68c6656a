package io.idempotency.boot.interleaving;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The steps of one run, in their order. Its text can be pasted into a test. */
record Schedule(List<Step> steps) {

    static Schedule parse(String text) {
        return new Schedule(
                Arrays.stream(text.trim().split("\\s+")).map(Step::parse).toList());
    }

    @Override
    public String toString() {
        return steps.stream().map(Step::toString).collect(Collectors.joining(" "));
    }
}
