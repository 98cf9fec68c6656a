package io.idempotency.benchmarks.harness;

/** One way to do the work of a job. */
public interface Contender extends AutoCloseable {

    /**
     * Does the work once. Called by many threads at the same time.
     *
     * @throws Exception if the work fails, which ends the benchmark
     */
    void run() throws Exception;

    /** Returns the number of calls or messages that {@link #run()} handles. */
    default int items() {
        return 1;
    }

    @Override
    void close();
}
