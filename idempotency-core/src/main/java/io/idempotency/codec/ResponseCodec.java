package io.idempotency.codec;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyStartupException;

/**
 * A codec that writes responses as JSON text and reads them back. The first bean of this type, in Spring's order, that
 * supports a type is used for it. The library's own codec comes last and supports every type through Jackson.
 */
public interface ResponseCodec {

    /**
     * Returns whether this codec is used for a response type.
     *
     * @param type the return type of the idempotent method, type arguments included
     * @return {@code true} if it writes and reads the type
     */
    boolean supports(Type type);

    /**
     * Writes a response. The text must contain everything that a replay needs. If this throws an exception, the call fails with
     * {@link io.idempotency.ResponseNotStorableException}.
     *
     * @param response the method's result
     * @param type the return type
     * @return JSON text
     */
    String encode(@Nullable Object response, Type type);

    /**
     * Reads a response. The class to create must be determined by the type, never by the text. If this throws an exception, a
     * first call fails with {@link io.idempotency.ResponseNotStorableException}, and a replay with
     * {@link io.idempotency.UnreadableResponseException}.
     *
     * @param body result of {@link #encode}, unchanged; perhaps written by an older version of the application
     * @param type the current return type
     * @return the response of the replay
     */
    @Nullable Object decode(String body, Type type);

    /**
     * Returns the part of a response that must be equal in a replay. Before a response is stored, this part of it is
     * compared with the value of its replay.
     *
     * @param response the method's result, or the value of a replay
     * @return by default the response itself
     */
    default Object observable(Object response) {
        return response;
    }

    /**
     * Returns whether a response asks for the request to be repeated, such as one of status 503. Then it is not stored: the
     * call is rolled back as if it had failed, its caller gets the response, and a repeat runs the method.
     *
     * @param response the method's result
     * @return by default {@code false}
     */
    default boolean asksForRepeat(Object response) {
        return false;
    }

    /**
     * Checks at start-up whether responses of a type can be stored and read back unchanged, as far as the type alone
     * decides. By default nothing is checked.
     *
     * @param type the return type of an idempotent method, type arguments included
     * @throws IdempotencyStartupException if they cannot; the problem continues a sentence after "returns", such as
     *     {@code "example.Page, which is abstract."}
     */
    default void requireStorable(Type type) {}
}
