package io.idempotency.boot.logging;

/** What a part of the library adds to the line about the start of the application. */
@FunctionalInterface
public interface SummaryPart {

    /**
     * Returns the words for this part. All singletons exist by then.
     *
     * @return a few words without punctuation
     */
    String text();

    /**
     * Names how many things of a kind exist.
     *
     * @param number how many
     * @param one their name if there is one
     * @param many their name otherwise
     * @return the number and the name
     */
    static String count(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
