package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Values in their order. */
final class Median {

    private Median() {}

    static double of(List<Double> values) {
        return quantile(values, 0.5);
    }

    /** Of the value itself, and not of one in between; NaN if there is none. */
    static double quantile(List<Double> values, double quantile) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(quantile * sorted.size())));
    }
}
