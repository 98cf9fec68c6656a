package io.idempotency.boot.interleaving;

/**
 * A step of a schedule: an actor does what it has stopped before, or a fault strikes it there.
 *
 * @param actor the name of the actor
 * @param fault {@code null} if none strikes
 */
record Step(String actor, Fault fault) {

    static Step parse(String text) {
        int mark = text.indexOf('!');
        return mark < 0
                ? new Step(text, null)
                : new Step(text.substring(0, mark), Fault.valueOf(text.substring(mark + 1)));
    }

    @Override
    public String toString() {
        return fault == null ? actor : actor + "!" + fault;
    }
}
