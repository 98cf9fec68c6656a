package io.idempotency.benchmarks.effect;

/**
 * The payload of a call or of a message: about 200 bytes as JSON.
 *
 * @param number of the payment
 * @param account that is charged
 * @param text fills it up
 */
public record Payment(int number, int account, String text) {

    private static final String TEXT = "0123456789abcdef".repeat(10);

    /** Returns the payment of a number. Consecutive ones are of different accounts, in no order. */
    public static Payment of(int number) {
        return new Payment(number, Math.floorMod(number * 7_919, Effect.ACCOUNTS), TEXT);
    }
}
