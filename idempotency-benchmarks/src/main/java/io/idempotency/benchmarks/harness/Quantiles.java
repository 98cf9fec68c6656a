package io.idempotency.benchmarks.harness;

import java.util.Collection;

/** Quantiles of values in any order. */
public final class Quantiles {

    private Quantiles() {}

    /** Returns the median, the mean of the two in the middle if there is no single one; NaN without values. */
    public static double median(Collection<Double> values) {
        double[] sorted = sorted(values);
        return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** Returns the smallest value that this part of all values does not exceed; NaN without values. */
    public static double quantile(Collection<Double> values, double part) {
        return ofSorted(sorted(values), part);
    }

    static double ofSorted(double[] sorted, double part) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.max(0, Math.ceil(part * sorted.length) - 1)];
    }

    private static double[] sorted(Collection<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }
}
