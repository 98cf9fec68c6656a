package io.idempotency;

import org.jspecify.annotations.Nullable;

/** Thrown before the key is claimed if a call is to be resumed, and one of its arguments would not be read back as it is. */
public final class ArgumentNotStorableException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent of the call
     * @param parameter the name of the parameter
     * @param problem the problem with the argument
     * @param cause the failure to write it or to read it back, if any
     */
    public ArgumentNotStorableException(Intent intent, String parameter, String problem, @Nullable Throwable cause) {
        super(
                intent,
                "The argument '" + parameter + "' of the " + intent
                        + " cannot be stored, so that the call could not be resumed: "
                        + problem + ". Let the method take data that JSON carries, such as a record or an id, or remove"
                        + " resume = true",
                cause);
    }
}
