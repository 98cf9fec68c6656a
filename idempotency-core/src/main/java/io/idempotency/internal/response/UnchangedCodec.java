package io.idempotency.internal.response;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

import io.idempotency.codec.ResponseCodec;

/** A codec of the library, which can tell whether a value was read as it was. */
public interface UnchangedCodec extends ResponseCodec {

    /**
     * Reads a value with which code goes on.
     *
     * @throws IllegalStateException if the value is not written as it is stored; its type may have further members
     */
    @Nullable Object decodeUnchanged(String body, Type type);
}
