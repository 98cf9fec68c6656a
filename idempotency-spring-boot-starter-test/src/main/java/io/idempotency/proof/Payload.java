package io.idempotency.proof;

/** The parameter of a scenario that calls with one of two payloads. The second one must be refused, because the key is the same. */
public final class Payload {

    private volatile boolean isOther;

    Payload() {}

    /**
     * Chooses between two values of which the payload is made.
     *
     * @param usual the value of all calls but one
     * @param other the value of the call that must be refused
     * @param <T> type of both
     * @return one of them
     */
    public <T> T either(T usual, T other) {
        return isOther ? other : usual;
    }

    void beOther(boolean wanted) {
        isOther = wanted;
    }
}
