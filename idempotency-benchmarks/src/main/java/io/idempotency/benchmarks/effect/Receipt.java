package io.idempotency.benchmarks.effect;

/**
 * The response of a call: about 160 bytes as JSON.
 *
 * @param number of the payment
 * @param account that was charged
 * @param text fills it up
 */
public record Receipt(int number, int account, String text) {

    private static final String TEXT = "fedcba9876543210".repeat(7);

    /** Returns the receipt of a payment. */
    public static Receipt of(Payment payment) {
        return new Receipt(payment.number(), payment.account(), TEXT);
    }
}
