package io.idempotency.benchmarks;

/**
 * A contender in one job.
 *
 * @param contender whose name is in the results
 * @param operation that is repeated
 * @param items of which each operation is the work
 */
record Entrant(Contender contender, Operation operation, int items) {

    Entrant(Contender contender, Operation operation) {
        this(contender, operation, 1);
    }

    String name() {
        return contender.name();
    }
}
