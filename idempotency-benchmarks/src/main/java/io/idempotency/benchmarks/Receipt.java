package io.idempotency.benchmarks;

/**
 * The response of a call.
 *
 * @param number of the payment
 * @param account that was charged
 * @param text fills the response up
 */
record Receipt(int number, int account, String text) {

    /** As JSON. */
    static final int USUAL_BYTES = 160;

    private static final int BYTES_BESIDE_TEXT = "{\"number\":1000000,\"account\":1000,\"text\":\"\"}".length();

    static final int SMALLEST_BYTES = BYTES_BESIDE_TEXT + 1;

    /** Of that many bytes as JSON, a few more or less for the length of the numbers. */
    static Receipt of(Payment payment, int bytes) {
        return new Receipt(payment.number(), payment.account(), Text.of(bytes - BYTES_BESIDE_TEXT));
    }

    /** Making a text shall not be measured. */
    private static final class Text {

        private static volatile String last = "";

        private static String of(int length) {
            String text = last;
            if (text.length() != length) {
                StringBuilder made = new StringBuilder(length);
                long state = 1;
                for (int i = 0; i < length; i++) {
                    state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
                    // Such as a real response, it can be compressed to some part of it.
                    made.append((char) ('a' + (state >>> 33) % 16));
                }
                text = made.toString();
                last = text;
            }
            return text;
        }
    }
}
