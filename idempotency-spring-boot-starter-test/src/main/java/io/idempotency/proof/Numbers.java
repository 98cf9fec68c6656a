package io.idempotency.proof;

/**
 * The numbers that a sequence has given.
 *
 * @param first the first one
 * @param last the last one
 */
record Numbers(long first, long last) {

    boolean contains(long number) {
        return first <= number && number <= last;
    }

    long count() {
        return last - first + 1;
    }
}
