package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Values in their order. */
final class Median {

    private Median() {}

    /** The mean of the two in the middle if there is no single one; NaN if there is none at all. */
    static double of(List<Double> values) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = sorted(values);
        int upper = sorted.size() / 2;
        int lower = (sorted.size() - 1) / 2;
        return (sorted.get(lower) + sorted.get(upper)) / 2;
    }

    /** Of the value itself, and not of one in between; NaN if there is none. */
    static double quantile(List<Double> values, double quantile) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = sorted(values);
        return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(quantile * sorted.size())));
    }

    private static List<Double> sorted(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted;
    }
}
