package io.idempotency.benchmarks;

/** Many values in their order. */
final class Latencies {

    private Latencies() {}

    /** The smallest value that so great a part of all is not above; NaN if there is none. */
    static double quantile(long[] sorted, double quantile) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int rank = (int) Math.ceil(quantile * sorted.length);
        return sorted[Math.max(0, Math.min(sorted.length, rank) - 1)];
    }
}
