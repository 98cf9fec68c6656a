package io.idempotency.codec;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyStartupException;

/**
 * Writes responses as JSON text and reads them back. The first bean of this type, in Spring's order, that supports a
 * type is used for it; the library's own comes last and supports every type by means of Jackson.
 */
public interface ResponseCodec {

    /**
     * Whether this codec is to be used for a response type.
     *
     * @param type the return type of the idempotent method, type arguments included
     * @return {@code true} if it writes and reads the type
     */
    boolean supports(Type type);

    /**
     * Writes a response. Everything that matters must be in the text: a replay has nothing else.
     *
     * @param response what the method returned
     * @param type the return type
     * @return JSON text
     */
    String encode(@Nullable Object response, Type type);

    /**
     * Reads a response. The class to make must follow from the type, never from the text.
     *
     * @param body what {@link #encode} gave, unchanged; perhaps written by an older version of the application
     * @param type the return type of today
     * @return what a replay returns
     */
    @Nullable Object decode(String body, Type type);

    /**
     * Returns what a replay must show as the first answer did; both are compared before the first answer is stored.
     *
     * @param response what the method returned, or what a replay returns
     * @return by default the response itself
     */
    default Object observable(Object response) {
        return response;
    }

    /**
     * Checks at start-up whether responses of a type can be stored and come back as they were, as far as the type alone
     * tells. By default nothing is checked.
     *
     * @param type the return type of an idempotent method, type arguments included
     * @throws IdempotencyStartupException if they cannot; the problem goes on after "returns", such as {@code
     *     "example.Page, which is abstract."}
     */
    default void requireStorable(Type type) {}
}
