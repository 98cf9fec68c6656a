package io.idempotency.benchmarks.micro;

/**
 * The payload of a call, of about 200 bytes as JSON; and its response, of about the same size.
 *
 * @param number of the order
 * @param account that is charged
 * @param text fills it up
 */
public record Order(int number, int account, String text) {

    static final Order ONE = new Order(4_711, 815, "0123456789abcdef".repeat(9));
}
