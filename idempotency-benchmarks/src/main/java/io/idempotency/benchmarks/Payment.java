package io.idempotency.benchmarks;

/**
 * One effect, and the message that tells of it: about 200 bytes as JSON.
 *
 * @param number from 0 in every measurement
 * @param account that is charged
 * @param text fills the message up
 */
record Payment(int number, int account, String text) {

    static final int ACCOUNTS = 10_000;

    static final String TEXT = "0123456789abcdef".repeat(10);

    /** Another account each time, in no order. */
    static Payment of(int number) {
        return new Payment(number, Math.floorMod(number * 7_919, ACCOUNTS), TEXT);
    }
}
