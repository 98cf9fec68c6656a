package io.idempotency.boot.logging;

/** What a part of the library adds to the line about the start of the application. */
@FunctionalInterface
public interface SummaryPart {

    /** Returns a few words without punctuation. All singletons exist by then. */
    String text();

    /** Names how many things of a kind exist. */
    static String count(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
