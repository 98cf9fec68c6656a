package io.idempotency.boot.actuate;

/** Thrown if the request of an operator cannot be fulfilled. The message is for the operator. */
public final class RefusedRequestException extends RuntimeException {

    static final int BAD_REQUEST = 400;

    static final int NOT_FOUND = 404;

    static final int CONFLICT = 409;

    static final int UNAVAILABLE = 503;

    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedRequestException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** Refuses a parameter, with the HTTP status 400. */
    public static RefusedRequestException badRequest(String message) {
        return new RefusedRequestException(BAD_REQUEST, message);
    }

    /** Returns the HTTP status. */
    int status() {
        return status;
    }
}
