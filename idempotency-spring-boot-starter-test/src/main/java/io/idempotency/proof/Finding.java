package io.idempotency.proof;

/**
 * The way in which a scenario is not idempotent.
 *
 * @param cause what findings of the same cause have in common
 * @param sentence what happened when, why and where
 * @param detail rows or answers
 */
record Finding(String cause, String sentence, String detail) {

    String text() {
        return detail.isEmpty() ? sentence : sentence + "\n" + detail;
    }
}
