package io.idempotency.sample.cluster;

/**
 * What an attempt met.
 *
 * @param status 0 if there was no answer
 * @param title of the problem, or why there was no answer; {@code null} if the command was acknowledged
 * @param location of what was made, or {@code null}
 * @param body byte for byte, or {@code null}
 */
record Outcome(Kind kind, int status, String title, String location, String body) {

    static Outcome acknowledged(int status, String location, String body) {
        return new Outcome(Kind.ACKNOWLEDGED, status, null, location, body);
    }

    static Outcome refused(int status, String title, String body) {
        return new Outcome(Kind.REFUSED, status, title, null, body);
    }

    static Outcome unknown(String reason) {
        return new Outcome(Kind.UNKNOWN, 0, reason, null, null);
    }

    boolean isAcknowledged() {
        return kind == Kind.ACKNOWLEDGED;
    }

    boolean isRefused() {
        return kind == Kind.REFUSED;
    }

    /** What the client is certain of. */
    enum Kind {
        ACKNOWLEDGED,
        REFUSED,
        /** The request was sent, perhaps, and may have had its effect: it timed out or lost its connection. */
        UNKNOWN
    }
}
